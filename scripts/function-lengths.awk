# Functions of more than `most` lines, as FILE:LINE: N lines: HEAD. Knows the layout of clang-format: a body ends at the
# first closing brace that stands as far left as the head's first line.
function indent_of(line) { match(line, /^ */); return RLENGTH }
FNR == 1 { open = 0; head = 0; fresh = 1 }
open {
  if (/^ *\}[;,]?$/ && indent_of($0) == depth) {
    open = 0; fresh = 1; count++
    if (FNR - begin + 1 > most) print FILENAME ":" begin ": " FNR - begin + 1 " lines: " name
  }
  next
}
/^ *$/ || /^ *\/\// || /^ *#/ { fresh = 1; next }
fresh { start = FNR; start_indent = indent_of($0); fresh = 0; head = 0; text = "" }
{ text = text $0 " " }
/\{$/ {
  if (text ~ /\(/ && text !~ /^ *(namespace|struct|class|enum|union|extern "C")/ && text !~ /^ *(template *<[^(]*> *)?(struct|class) /) {
    open = 1; begin = start; depth = start_indent; name = substr(text, start_indent + 1, 80)
  }
  fresh = !open; next
}
/(;|\}|:)( *\/\/.*)?$/ { fresh = 1 }
END { if (all) print count " functions" }
