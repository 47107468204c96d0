#include "io/text/xml.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/binary/bytes.hpp"

namespace farfield::io {

std::optional<std::string_view> Tag::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes)
    if (key == wanted) return value;
  return std::nullopt;
}

// Lines are counted only here: a document that is well needs no line numbers.
void TagScanner::fail(std::size_t at, const std::string& what) const {
  const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at, text_.size()));
  refuse(path_, fmt::format("line {}", std::count(text_.begin(), end, '\n') + 1), what);
}

void TagScanner::skip_past(std::string_view end, const char* what) {
  const auto found = text_.find(end, at_);
  if (found == text_.npos) fail(at_, fmt::format("{} does not end; complete the file", what));
  at_ = found + end.size();
}

void TagScanner::skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

void TagScanner::skip_to_tag() {
  while (true) {
    const auto found = text_.find('<', at_);
    if (found == text_.npos)
      fail(text_.size(), begun_ ? fmt::format("the file ends within <{}>; complete it", open_.back())
                                : std::string("there is no element; this is no XML document"));
    at_ = found;
    const auto rest = text_.substr(at_);
    if (rest.starts_with("<!--")) {
      skip_past("-->", "a comment");
    } else if (rest.starts_with("<?")) {
      skip_past("?>", "an instruction");
    } else if (rest.starts_with("<!")) {
      skip_past(">", "a declaration");
    } else {
      return;
    }
  }
}

std::string_view TagScanner::take_name(const char* what) {
  const auto end = std::min(text_.find_first_of(" \t\r\n/>=<\"'", at_), text_.size());
  if (end == at_) fail(at_, fmt::format("{} has no name; correct the XML", what));
  const auto name = text_.substr(at_, end - at_);
  at_ = end;
  return name;
}

void TagScanner::take_attribute(Tag& tag) {
  const auto key = take_name("an attribute");
  skip_blanks();
  if (!text_.substr(at_).starts_with('='))
    fail(at_, fmt::format("attribute {} has no value; write {}=\"...\"", key, key));
  ++at_;
  skip_blanks();
  const char quote = at_ < text_.size() ? text_[at_] : '\0';
  if (quote != '"' && quote != '\'')
    fail(at_, fmt::format("the value of {} is not quoted; write {}=\"...\"", key, key));
  const auto end = text_.find(quote, ++at_);
  if (end == text_.npos) fail(at_, fmt::format("the value of {} does not end; complete the file", key));
  tag.attributes.emplace_back(key, text_.substr(at_, end - at_));
  at_ = end + 1;
}

void TagScanner::follow(const Tag& tag) {
  if (tag.opens) open_.push_back(tag.name);
  begun_ = true;
  if (!tag.closes) return;
  if (open_.empty() || open_.back() != tag.name)
    fail(tag.at, fmt::format("</{}> closes what is not open; correct the XML", tag.name));
  open_.pop_back();
}

bool TagScanner::next(Tag& tag) {
  if (begun_ && open_.empty()) return false;
  skip_to_tag();
  tag = Tag{{}, true, false, std::move(tag.attributes), at_};  // the list's memory serves again
  tag.attributes.clear();
  ++at_;
  if (text_.substr(at_).starts_with('/')) {
    tag.opens = false;
    tag.closes = true;
    ++at_;
  }
  tag.name = take_name("a tag");
  for (skip_blanks(); at_ < text_.size() && text_[at_] != '>' && text_[at_] != '/'; skip_blanks()) take_attribute(tag);
  if (text_.substr(at_).starts_with('/')) {
    tag.closes = true;
    ++at_;
  }
  if (!text_.substr(at_).starts_with('>')) fail(at_, fmt::format("tag {} does not end; complete the file", tag.name));
  ++at_;
  follow(tag);
  return true;
}

}  // namespace farfield::io
