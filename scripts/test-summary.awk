# Reads ctest's JUnit file: failures with their output, skips by reason, then the counts. Exit 1 on failure.
function decode(s) {
  gsub(/&lt;/, "<", s); gsub(/&gt;/, ">", s); gsub(/&quot;/, "\"", s); gsub(/&apos;/, "'", s); gsub(/&#x[dD];/, "", s)
  gsub(/&amp;/, "\\&", s)
  return s
}
function attribute(line, key,   rest) {
  if (!match(line, " " key "=\"[^\"]*\"")) return ""
  rest = substr(line, RSTART, RLENGTH)
  sub(/^[^"]*"/, "", rest); sub(/"$/, "", rest)
  return decode(rest)
}
# GoogleTest writes "file:line: Skipped" and the reason on the next line; scripts end with their reason.
function reason_of_skip(   i, last) {
  for (i = 1; i <= lines; ++i) {
    if (output[i] ~ /: Skipped$/ && i < lines && output[i + 1] != "") return output[i + 1]
    if (output[i] != "" && output[i] !~ /^\[/) last = output[i]
  }
  return last != "" ? last : (message != "" ? message : "no reason given")
}
# Tests that are skipped for one reason share a line.
function skip(reason) {
  if (!(reason in tests_skipped)) reasons[++reason_count] = reason
  ++tests_skipped[reason]
  first_skipped[reason] = first_skipped[reason] == "" ? name : first_skipped[reason]
}
function tell_skips(   i, reason) {
  for (i = 1; i <= reason_count; ++i) {
    reason = reasons[i]
    print "skipped " (tests_skipped[reason] > 1 ? tests_skipped[reason] " tests, the first " : "") first_skipped[reason] ": " reason
  }
}
function finish(   i) {
  if (status == "run") ++passed
  else if (status == "notrun" || status == "disabled") {
    if (message ~ /Unable to find|Could not find|missing|NOT_AVAILABLE/ ) { ++failed; print "FAILED  " name ": " message }
    else { ++skipped; skip(reason_of_skip()) }
  } else {
    ++failed
    print "FAILED  " name
    for (i = 1; i <= lines; ++i) print "  " output[i]
  }
}
/<testcase / { name = attribute($0, "name"); status = attribute($0, "status"); message = ""; lines = 0; inside = 0 }
/<(failure|skipped) / { message = attribute($0, "message") }
/<system-out>/ { inside = 1; sub(/^.*<system-out>/, "") }
inside {
  text = $0
  ends = sub(/<\/system-out>.*$/, "", text)
  output[++lines] = decode(text)
  if (ends) inside = 0
}
/<\/testcase>/ { finish() }
END {
  tell_skips()
  printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
  exit failed > 0 || passed == 0
}
