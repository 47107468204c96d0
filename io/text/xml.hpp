// The little of XML that a data file needs: tags and their attributes, one after the other, with line numbers.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farfield::io {

struct Tag {
  std::string_view name;
  bool opens = true, closes = false;  ///< <a> opens, </a> closes, <a/> does both
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  std::size_t at = 0;  ///< offset in the text

  std::optional<std::string_view> attribute(std::string_view wanted) const;
};

/// Walks over the tags; text, comments, declarations and processing instructions are passed over, entities are left
/// as they stand. Refuses tags that do not close in order and documents that end too early.
class TagScanner {
 public:
  TagScanner(const std::string& path, std::string_view text) : path_(path), text_(text) {}
  bool next(Tag& tag);  ///< false after the end of the document's one element
  [[noreturn]] void fail(std::size_t at, const std::string& what) const;

 private:
  void skip_to_tag();
  void skip_past(std::string_view end, const char* what);
  void skip_blanks();
  std::string_view take_name(const char* what);
  void take_attribute(Tag& tag);
  void follow(const Tag& tag);

  const std::string& path_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string_view> open_;
  bool begun_ = false;
};

}  // namespace farfield::io
