// SPDX-License-Identifier: BSL-1.0
/// @file text.hpp
/// Columns of numbers from text, one record a line, and numbers as text.
/// Layer: serial. Words: README.md.
///
/// | part | rule |
/// | --- | --- |
/// | line | ends with `\n`, `\r\n` or the end of the text; empty lines (blanks alone) hold no record; in files at most 1 MiB (`longest_line`) |
/// | column | decimal digits, an optional sign in front; floating columns: what strtod takes, without hex |
/// | separator | blanks and tabs, or one comma with or without blanks around it; or one given character |
/// | comment | where asked for: from a # or % at the place of a column to the end of the line |
/// | mark | a UTF-8 byte order mark at the very beginning is passed over |
///
/// Parsing runs on pieces of whole lines, so that an executor may take several at once: the lines
/// of each piece are counted first, which tells where its records go and what number its first line
/// has; the result does not depend on the number of pieces.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/schema/schema.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace halograph {

/// Bytes that a line of a file may have, its end not counted: far more than a record needs, and
/// little enough that a file without line ends is found out early. METIS graphs, which have the
/// neighbors of a node in one line, are exempt.
inline constexpr std::size_t longest_line = std::size_t{1} << 20;

/// How columns are told apart.
struct text_format {
  char delimiter = '\0';  ///< one character between columns; NUL: blanks, tabs or a comma
  bool comments = false;  ///< # and % begin comments
};

/// What the third column of an edge list is.
enum class edge_weights : std::uint8_t {
  ignored,   ///< nothing to us, like any further one
  detected,  ///< a weight, if the first record has it; then all records must, else none may
  required   ///< a weight, in every record
};

/// What read_edges() accepts.
struct edge_text_options {
  text_format format{};
  std::uint64_t source_count = ~std::uint64_t{0};  ///< IDs of the first column are below it
  std::uint64_t target_count = ~std::uint64_t{0};  ///< IDs of the second column are below it
  edge_weights weights = edge_weights::ignored;
};

/// Weights as they came: none, integers, or floating numbers as soon as one is not an integer.
using weight_column = std::variant<std::monostate, std::vector<std::int64_t>, std::vector<double>>;

/// An edge list from text.
template <id Node = std::uint64_t>
struct edge_text {
  std::vector<Node> source{};  ///< [E] first column
  std::vector<Node> target{};  ///< [E] second column
  weight_column weight{};      ///< [E] third column, where asked for and there
};

/// What read_columns() and read_column() accept.
struct column_text_options {
  text_format format{};
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  bool integral_floats = false;  ///< "1.0" is 1
  bool no_more_columns = false;  ///< columns beyond those asked for are an error; else ignored
  std::string_view what = "an integer";  ///< what a value is, for the error's sentence: "a part"
};

namespace detail {

enum class text_fault : std::uint8_t {
  none,
  not_a_number,
  negative,
  out_of_range,
  overflow,
  missing_column,
  unknown_column,
  mixed_columns
};

/// Reads the columns of a line one after the other. Never past `end`.
class text_cursor {
 public:
  text_cursor(const char* begin, const char* end, text_format format) noexcept
      : at_(begin),
        end_(end),
        format_(format),
        blank_delimiter_(format.delimiter == '\0' || format.delimiter == ' ' ||
                         format.delimiter == '\t'),
        plain_separators_(separators_of(format.delimiter)) {}

  const char* at() const noexcept { return at_; }
  bool done() const noexcept { return at_ == end_; }
  const char* end() const noexcept { return end_; }

  void skip_blanks() noexcept {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  /// Is the record over? To be asked where a column could begin.
  bool at_line_end() const noexcept {
    if (at_ == end_ || *at_ == '\n') return true;
    if (*at_ == '\r') return at_ + 1 == end_ || at_[1] == '\n';
    return format_.comments && (*at_ == '#' || *at_ == '%');
  }
  /// Past one character. @pre !done()
  void pass() noexcept { ++at_; }
  /// To the beginning of the next line.
  void next_line() noexcept {
    if (at_ != end_ && *at_ == '\n') {
      ++at_;
    } else if (end_ - at_ > 1 && at_[0] == '\r' && at_[1] == '\n') {
      at_ += 2;
    } else {
      const void* const found = at_ == end_
                                    ? nullptr
                                    : std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
      at_ = found == nullptr ? end_ : static_cast<const char*>(found) + 1;
    }
  }
  /// Pass what stands between two columns. @return is there a column behind it?
  bool next_column() noexcept {
    if (end_ - at_ > 1 && is_plain_separator(*at_) && is_digit(at_[1])) {
      ++at_;
      return true;
    }
    skip_blanks();
    if (at_line_end()) return false;
    const char between = *at_;
    if ((format_.delimiter == '\0' && between == ',') ||
        (!blank_delimiter_ && between == format_.delimiter)) {
      ++at_;
      skip_blanks();
      return !at_line_end();
    }
    return true;
  }
  /// Does the number end here? To be asked behind its last character.
  bool at_column_end() const noexcept {
    if (at_ == end_) return true;
    const char c = *at_;
    if (c == '\n') return true;
    if (c == ' ' || c == '\t') {
      if (blank_delimiter_ || c == format_.delimiter) return true;
      text_cursor behind = *this;  // blanks are nothing here: the given delimiter must follow them
      behind.skip_blanks();
      return behind.at_line_end() || *behind.at_ == format_.delimiter;
    }
    if (c == '\r') return at_line_end();
    return format_.delimiter == '\0' ? c == ',' : c == format_.delimiter;
  }

  /// A number from 0 to 2^64 - 1. The cursor stays at its beginning on a fault.
  text_fault unsigned_number(std::uint64_t& out) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      if (end_ - at_ > 24) {
        const unsigned count = plain_number(at_, out);
        if (count != 0) {
          const char behind = at_[count];
          if (is_plain_separator(behind) || after_line_end(at_ + count) != nullptr) {
            at_ += count;
            return text_fault::none;
          }
        }
      }
    }
    // By value there and back, so that the cursor can live in registers here.
    const auto read = any_unsigned_number(*this);
    at_ = read.at;
    out = read.value;
    return read.fault;
  }
  /// A number from -2^63 to 2^63 - 1.
  text_fault signed_number(std::int64_t& out) noexcept {
    const char* const begin = at_;
    const bool negative = at_ != end_ && *at_ == '-';
    if (negative) {
      ++at_;
      if (at_ == end_ || !is_digit(*at_)) {
        at_ = begin;
        return text_fault::not_a_number;
      }
    }
    std::uint64_t magnitude = 0;
    text_fault answer = unsigned_number(magnitude);
    constexpr auto top = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (answer == text_fault::none && magnitude > top + (negative ? 1u : 0u))
      answer = text_fault::overflow;
    if (answer != text_fault::none) {
      at_ = begin;
      return answer;
    }
    out = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
    return answer;
  }
  /// A finite number.
  text_fault floating_number(double& out) noexcept {
    const char* const begin = at_;
    const char* const digits = begin != end_ && *begin == '+' ? begin + 1 : begin;
    double value = 0;
    const auto [ptr, problem] = std::from_chars(digits, end_, value);
    if (problem == std::errc::result_out_of_range) {
      // Too small is zero; too large is no number that we could hold.
      if (tiny(digits, ptr))
        value = 0;
      else
        return text_fault::overflow;
    } else if (problem != std::errc{} || !std::isfinite(value) ||
               (digits != begin && *digits == '-')) {
      return text_fault::not_a_number;
    }
    at_ = ptr;
    if (!at_column_end()) {
      at_ = begin;
      return text_fault::not_a_number;
    }
    out = value;
    return text_fault::none;
  }

  /// What stands behind the first number of the line here, if it may stand between two; else what
  /// could.
  char separator_of_line() const noexcept {
    const char* p = at_;
    if (p != end_ && *p == '-') ++p;
    while (p != end_ && is_digit(*p)) ++p;
    if (p != end_ && is_plain_separator(*p)) return *p;
    return format_.delimiter == '\0' ? ' ' : format_.delimiter;
  }
  /// Up to 19 digits. @pre 24 bytes may be read @return how many there are; 0: none, more, or not
  /// known here
  [[gnu::always_inline]] static unsigned plain_number(const char* p,
                                                      std::uint64_t& value) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      unsigned count = leading_digits(p, value);
      if (count == 8) {
        std::uint64_t low = 0;
        const unsigned second = leading_digits(p + 8, low);
        value = value * power_of_ten(second) + low;
        count += second;
        if (second == 8) {
          const unsigned third = leading_digits(p + 16, low);
          if (third > 3) return 0;  // 20 digits may be more than 64 bits hold
          if (third != 0) value = value * power_of_ten(third) + low;
          count += third;
        }
      }
      return count;
    } else {
      static_cast<void>(p), static_cast<void>(value);
      return 0;
    }
  }
  /// Past a line end at p. @return nothing where there is none
  [[gnu::always_inline]] static const char* after_line_end(const char* p) noexcept {
    if (*p == '\n') return p + 1;
    return p[0] == '\r' && p[1] == '\n' ? p + 2 : nullptr;
  }

  static bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }

 private:
  bool is_blank(char c) const noexcept {
    return (c == ' ' || c == '\t') && (blank_delimiter_ || c != format_.delimiter);
  }
  /// The characters below 64 that end a column wherever they stand, but for line ends: a bit for
  /// each. Blanks beside a given delimiter are not among them, nor are delimiters beyond.
  static constexpr std::uint64_t separators_of(char delimiter) noexcept {
    const auto bit = [](char c) {
      return static_cast<unsigned char>(c) < 64 ? std::uint64_t{1} << c : 0;
    };
    const std::uint64_t blanks = bit(' ') | bit('\t');
    return delimiter == '\0'                       ? blanks | bit(',')
           : delimiter == ' ' || delimiter == '\t' ? blanks
                                                   : bit(delimiter);
  }
  bool is_plain_separator(char c) const noexcept {
    const auto place = static_cast<unsigned char>(c);
    return place < 64 && (plain_separators_ >> place & 1u) != 0;
  }
  /// @pre exponent <= 8
  static constexpr std::uint64_t power_of_ten(unsigned exponent) noexcept {
    constexpr std::uint64_t powers[9] = {1,      10,      100,      1000,     10000,
                                         100000, 1000000, 10000000, 100000000};
    return powers[exponent];
  }
  struct number_read {
    const char* at;
    std::uint64_t value;
    text_fault fault;
  };
  static number_read any_unsigned_number(text_cursor cursor) noexcept {
    const char* const begin = cursor.at_;
    const char* const end = cursor.end_;
    const char* const digits = begin != end && *begin == '+' ? begin + 1 : begin;
    const char* p = digits;
    std::uint64_t value = 0;
    for (; p != end && is_digit(*p); ++p) value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    if (p == digits) {
      const bool negative = end - begin > 1 && *begin == '-' && is_digit(begin[1]);
      return {begin, 0, negative ? text_fault::negative : text_fault::not_a_number};
    }
    cursor.at_ = p;
    if (!cursor.at_column_end()) return {begin, 0, text_fault::not_a_number};
    // Up to 19 digits cannot overflow.
    if (p - digits > 19 && std::from_chars(digits, p, value).ec != std::errc{}) {
      return {begin, 0, text_fault::overflow};
    }
    return {p, value, text_fault::none};
  }
  /// Read up to 8 digits at once. @pre 8 bytes may be read; little-endian machine
  /// @return how many digits there are, 0 to 8
  /// @source the digits' values are added up pairwise by three multiplications, after D. Lemire's
  ///         "Number parsing at a gigabyte per second", 2021
  [[gnu::always_inline]] static unsigned leading_digits(const char* p,
                                                        std::uint64_t& value) noexcept {
    std::uint64_t digits = 0;
    std::memcpy(&digits, p, 8);
    digits -= 0x3030303030303030u;  // what is borrowed from beyond a non-digit lies behind it
    const std::uint64_t others = ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
    const auto count = static_cast<unsigned>(std::countr_zero(others)) /
                       8;  // 64 / 8 where all are digits
    if (count == 0) return 0;
    digits <<= 64 - 8 * count;  // zeros in front
    digits = digits * 10 + (digits >> 8);
    value = (((digits & 0x000000FF000000FFu) * 0x000F424000000064u) +
             (((digits >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
            32;
    return count;
  }
  /// Of a literal out of the range of double: is it too small rather than too large?
  static bool tiny(const char* begin, const char* end) noexcept {
    const char* const exponent = std::find_if(begin, end,
                                              [](char c) { return c == 'e' || c == 'E'; });
    if (exponent != end) return exponent + 1 != end && exponent[1] == '-';
    return std::find_if(begin, end, [](char c) { return c >= '1' && c <= '9'; }) >
           std::find(begin, end, '.');
  }

  const char* at_;
  const char* end_;
  text_format format_;
  bool blank_delimiter_;
  std::uint64_t plain_separators_;
};

/// The first fault of a piece.
struct text_problem {
  text_fault fault = text_fault::none;
  unsigned column = 0;  // from 1
  const char* where = nullptr;
};

struct text_piece {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::uint64_t first_line = 1;
  std::size_t first_slot = 0;
  std::size_t slots = 0;    // records it may have
  std::size_t records = 0;  // records it has
  text_problem problem{};
};

/// Line ends of a text. Blocks of a length that the compiler knows, into a counter of 8 bits: so it
/// makes vector code of it, where std::count with GCC 12 goes byte by byte.
inline std::size_t count_line_ends(const char* p, const char* end) noexcept {
  constexpr int block = 128;
  std::size_t count = 0;
  for (; end - p >= block; p += block) {
    std::uint8_t few = 0;
    for (int i = 0; i < block; ++i) few = static_cast<std::uint8_t>(few + (p[i] == '\n' ? 1 : 0));
    count += few;
  }
  return count + static_cast<std::size_t>(std::count(p, end, '\n'));
}

struct text_counts {
  std::uint64_t line_ends = 0, records = 0;
};

/// Lines and records of whole lines. Lines that begin with a digit are counted 8 bytes at a time;
/// only where others are among them, behind the first such line, is each line looked at.
inline text_counts count_records(const char* const begin, const char* const end,
                                 text_format format) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101u, low = 0x7F7F7F7F7F7F7F7Fu;
  // Comments and names of columns stand in front.
  text_counts before;
  text_cursor front(begin, end, format);
  while (!front.done() && !text_cursor::is_digit(*front.at())) {
    front.skip_blanks();
    if (!front.at_line_end()) ++before.records;
    front.next_line();
    if (front.at()[-1] == '\n') ++before.line_ends;
  }
  if (front.done()) return before;
  const char* const first = front.at();
  const std::uint64_t last = end[-1] != '\n' ? 1 : 0;  // line without an end
  std::uint64_t lines = 0, digits = 1;
  const auto sum = [](std::uint64_t lanes) {
    const std::uint64_t pairs = (lanes & 0x00FF00FF00FF00FFu) +
                                ((lanes >> 8) & 0x00FF00FF00FF00FFu);
    return (pairs * 0x0001000100010001u) >> 48;
  };
  const char* p = first;
  while (end - p >= 9) {
    std::uint64_t line_lanes = 0, digit_lanes = 0;  // 8 counters of 8 bits each
    for (int i = 0; i < 255 && end - p >= 9; ++i, p += 8) {
      std::uint64_t here = 0, behind = 0;
      std::memcpy(&here, p, 8);
      std::memcpy(&behind, p + 1, 8);
      here ^= ones * static_cast<std::uint64_t>('\n');
      behind ^= ones * static_cast<std::uint64_t>('0');
      const std::uint64_t ends = ~(((here & low) + low) | here);              // bit 7: a line end
      const std::uint64_t others = ((behind & low) + ones * 0x76u) | behind;  // bit 7: no digit
      line_lanes += (ends >> 7) & ones;
      digit_lanes += ((ends & ~others) >> 7) & ones;
    }
    lines += sum(line_lanes);
    digits += sum(digit_lanes);
  }
  for (; p != end; ++p) {
    if (*p != '\n') continue;
    ++lines;
    if (p + 1 != end && text_cursor::is_digit(p[1])) ++digits;
  }
  if (lines + last == digits) return {before.line_ends + lines, before.records + digits};
  std::uint64_t records = before.records;
  for (text_cursor cursor(first, end, format); !cursor.done(); cursor.next_line()) {
    cursor.skip_blanks();
    if (!cursor.at_line_end()) ++records;
  }
  return {before.line_ends + lines, records};
}

/// Cut text into pieces of whole lines and say how many records each may have.
/// @param shortest  bytes of the shortest record, its line end included
/// @param format    what a record is: slots for records alone. Without it each line is one
template <executor Executor>
std::vector<text_piece> cut_text(std::string_view text, std::size_t shortest,
                                 const Executor& executor, const text_format* format = nullptr) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  // An even number of them, since they are read in pairs.
  constexpr std::size_t least = std::size_t{1} << 18;
  const std::size_t pairs = std::max<std::size_t>(executor.concurrency(), 1) * 8;
  const std::size_t wanted = text.size() < 2 * least
                                 ? 1
                                 : 2 * std::clamp<std::size_t>(text.size() / (2 * least), 1, pairs);
  std::vector<text_piece> pieces;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < wanted && at != end; ++i) {
    const char* cut = end;
    if (i + 1 < wanted) {
      const char* const from = std::max(at, text.data() + text.size() / wanted * (i + 1));
      const void* const found = std::memchr(from, '\n', static_cast<std::size_t>(end - from));
      if (found != nullptr) cut = static_cast<const char*>(found) + 1;
    }
    pieces.push_back({at, cut, 1, 0, 0, 0, {}});
    at = cut;
  }
  std::vector<text_counts> counts(pieces.size());
  executor.parallel_for(0, pieces.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto& piece = pieces[i];
      if (format != nullptr) {
        counts[i] = count_records(piece.begin, piece.end, *format);
      } else {
        counts[i].line_ends = count_line_ends(piece.begin, piece.end);
        counts[i].records = counts[i].line_ends + (piece.end[-1] != '\n' ? 1 : 0);
      }
    }
  });
  std::uint64_t line = 1;
  std::size_t slot = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    auto& piece = pieces[i];
    piece.first_line = line;
    line += counts[i].line_ends;
    piece.slots = static_cast<std::size_t>(counts[i].records);
    // A text of line ends alone must not ask for memory that its records never fill.
    piece.slots = std::min(piece.slots,
                           (static_cast<std::size_t>(piece.end - piece.begin) + 1) / shortest);
    piece.first_slot = slot;
    slot += piece.slots;
  }
  return pieces;
}

inline std::size_t slots_of(const std::vector<text_piece>& pieces) noexcept {
  return pieces.empty() ? 0 : pieces.back().first_slot + pieces.back().slots;
}

/// No line is plain: what parse_pieces() is given where there is no faster way.
struct nothing_plain {
  constexpr const char* operator()(const char*, std::size_t, char) const noexcept {
    return nullptr;
  }
};

/// A run through a piece, line by line.
struct piece_run {
  const char* at;
  std::size_t slot;
  const char* plain_end;  // lines that begin before it may be plain
  char separator;

  /// @param text_end  of the whole text, since plain lines are read by words that may reach beyond
  ///     a piece
  piece_run(const text_piece& piece, const char* text_end, text_format format) noexcept
      : at(piece.begin),
        slot(piece.first_slot),
        plain_end(text_end - piece.begin > plain_margin
                      ? std::min(piece.end, text_end - plain_margin)
                      : piece.begin),
        separator(text_cursor(piece.begin, piece.end, format).separator_of_line()) {}
  /// Bytes behind the beginning of a plain line that may be read, whatever they are.
  static constexpr std::ptrdiff_t plain_margin = 96;
};

/// Read the line at run.at with all that text.hpp allows. @return was there no fault?
template <class Record>
bool read_any_line(text_piece& piece, piece_run& run, text_format format, Record& record) {
  text_cursor cursor(run.at, piece.end, format);
  if (!text_cursor::is_digit(*cursor.at())) cursor.skip_blanks();
  if (!cursor.at_line_end()) {
    piece.problem = record(cursor, run.slot);
    if (piece.problem.fault != text_fault::none) return false;
    ++run.slot;
  }
  cursor.next_line();
  run.at = cursor.at();
  return true;
}

template <class Record, class Plain>
void read_rest_of_piece(text_piece& piece, piece_run run, text_format format, Record& record,
                        Plain& plain) {
  const char* at = run.at;
  std::size_t slot = run.slot;
  for (;;) {
    while (at < run.plain_end) {
      const char* const next = plain(at, slot, run.separator);
      if (next == nullptr) break;
      at = next;
      ++slot;
    }
    run.at = at;
    run.slot = slot;
    if (at == piece.end || !read_any_line(piece, run, format, record)) break;
    at = run.at;
    slot = run.slot;
  }
  piece.records = run.slot - piece.first_slot;
}

/// Where a number begins is known only when the one before it has been read, so that a thread would
/// wait most of the time. Reading two pieces in turn, it has something to do meanwhile.
template <class Record, class Plain>
void read_two_pieces(text_piece& first, text_piece& second, const char* text_end,
                     text_format format, Record& record, Plain& plain) {
  piece_run one(first, text_end, format), other(second, text_end, format);
  for (bool sound = true; sound && one.at < one.plain_end && other.at < other.plain_end;) {
    const char separator = one.separator, other_separator = other.separator;
    const char *at = one.at, *other_at = other.at;
    std::size_t slot = one.slot, other_slot = other.slot;
    const char* next = at;
    const char* other_next = other_at;
    while (at < one.plain_end && other_at < other.plain_end) {
      next = plain(at, slot, separator);
      if (next == nullptr) break;
      at = next;
      ++slot;
      other_next = plain(other_at, other_slot, other_separator);
      if (other_next == nullptr) break;
      other_at = other_next;
      ++other_slot;
    }
    one.at = at;
    one.slot = slot;
    other.at = other_at;
    other.slot = other_slot;
    if (next == nullptr)
      sound = read_any_line(first, one, format, record);
    else if (other_next == nullptr)
      sound = read_any_line(second, other, format, record);
  }
  // What has a fault stops; the other piece may have one further in front.
  if (first.problem.fault == text_fault::none)
    read_rest_of_piece(first, one, format, record, plain);
  else
    first.records = one.slot - first.first_slot;
  if (second.problem.fault == text_fault::none)
    read_rest_of_piece(second, other, format, record, plain);
  else
    second.records = other.slot - second.first_slot;
}

/// Hand each record of each piece to `record(cursor, slot)`, which answers a text_problem and
/// leaves the cursor behind its last column. Stops a piece at its first fault.
/// @param plain  plain(line, slot, separator) reads a line that it can read fast, and answers where
///     the next one begins; or nothing, having written nothing: `record` gets it then.
///     piece_run::plain_margin bytes behind `line` may be read
template <executor Executor, class Record, class Plain = nothing_plain>
void parse_pieces(std::vector<text_piece>& pieces, text_format format, const Executor& executor,
                  Record&& record, Plain plain = {}) {
  if (pieces.empty()) return;
  const char* const text_end = pieces.back().end;
  executor.parallel_for(
      0, (pieces.size() + 1) / 2, 1, [&, plain](std::size_t first, std::size_t last) mutable {
        for (std::size_t i = 2 * first; i < 2 * last && i < pieces.size(); i += 2) {
          if (i + 1 < pieces.size())
            read_two_pieces(pieces[i], pieces[i + 1], text_end, format, record, plain);
          else
            read_rest_of_piece(pieces[i], piece_run(pieces[i], text_end, format), format, record,
                               plain);
        }
      });
}

/// Make room for the records of several columns, which takes as long as a part of the reading: the
/// system gives new memory page by page.
template <executor Executor, class... Columns>
void resize_columns(std::size_t size, const Executor& executor, Columns&... columns) {
  executor.parallel_for(0, sizeof...(columns), 1, [&](std::size_t first, std::size_t last) {
    std::size_t i = 0;
    const auto resize = [&](auto& column) {
      if (i >= first && i < last) column.resize(size);
      ++i;
    };
    (resize(columns), ...);
  });
}

/// Move the records of a column together and cut off the slots that stayed empty.
template <class T>
void close_gaps(std::vector<T>& column, const std::vector<text_piece>& pieces) {
  std::size_t at = 0;
  for (const auto& piece : pieces) {
    if (at != piece.first_slot && piece.records != 0) {
      std::memmove(column.data() + at, column.data() + piece.first_slot, piece.records * sizeof(T));
    }
    at += piece.records;
  }
  column.resize(at);
}

/// The text of the column at `where`, for a sentence.
inline std::string column_at(const char* where, const char* end, text_format format) {
  const bool blanks = format.delimiter == '\0' || format.delimiter == ' ' ||
                      format.delimiter == '\t';
  const char* stop = where;
  while (stop != end && stop - where < 60 && *stop != '\n' && *stop != '\r' &&
         !(blanks && (*stop == ' ' || *stop == '\t')) &&
         (stop == where || *stop != (format.delimiter == '\0' ? ',' : format.delimiter))) {
    ++stop;
  }
  return graph_schema::quoted(std::string_view(where, static_cast<std::size_t>(stop - where)));
}

/// Raise the first problem of the text, if any piece has one.
/// @param needed  what column c must be: "a source node ID from 0 to 33"
///                and the code of a value that is not in that range
template <class Needed>
void raise_first_problem(const std::vector<text_piece>& pieces, text_format format,
                         const std::string& file, Needed&& needed) {
  for (const auto& piece : pieces) {
    const auto& problem = piece.problem;
    if (problem.fault == text_fault::none) continue;
    const location where{.file = file,
                         .line = piece.first_line + count_line_ends(piece.begin, problem.where)};
    const std::string place = "column " + std::to_string(problem.column);
    const auto [sentence, range_code] = needed(problem);
    switch (problem.fault) {
      case text_fault::missing_column:
        raise(errc::malformed, "there is no " + place + "; it must be " + sentence, where);
      case text_fault::mixed_columns:
        raise(errc::malformed, place + " must be in every line or in none, as in the first line",
              where);
      case text_fault::unknown_column:
        raise(errc::malformed,
              place + " is one too many; a line holds " + sentence + " and nothing else", where);
      default:
        raise(problem.fault == text_fault::not_a_number ? errc::malformed
              : problem.fault == text_fault::negative   ? errc::out_of_range
                                                        : range_code,
              place + " is " + column_at(problem.where, piece.end, format) + "; it must be " +
                  sentence,
              where);
    }
  }
}

inline void check_format(text_format format) {
  const char d = format.delimiter;
  if (text_cursor::is_digit(d) || d == '-' || d == '+' || d == '.' || d == '\n' || d == '\r' ||
      d == 'e' || d == 'E' || (format.comments && (d == '#' || d == '%'))) {
    raise(errc::invalid_argument,
          "the delimiter " + graph_schema::quoted(std::string_view(&d, 1)) +
              " cannot stand between numbers; use a blank, a tab, a comma or the like");
  }
}

inline std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Finds the first line that is too long in a text that comes block by block. Looks at the bytes
/// around every `most`-th alone.
class line_lengths {
 public:
  explicit line_lengths(std::size_t most) noexcept : most_(most) {}

  /// The next bytes. @return where a line that is too long goes on in them; nothing where all lines
  /// fit
  const char* too_long(std::string_view block) noexcept {
    while (!block.empty()) {
      const std::string_view window = block.substr(0, most_ - open_ + 1);
      const auto end = window.rfind('\n');
      if (end == std::string_view::npos) {
        open_ += window.size();
        return open_ <= most_ ? nullptr : block.data();
      }
      block.remove_prefix(end + 1);
      open_ = 0;
    }
    return nullptr;
  }

 private:
  std::size_t most_;
  std::size_t open_ = 0;  // bytes of the line that has not ended
};

[[noreturn]] inline void raise_long_line(const std::string& file, std::uint64_t line,
                                         std::size_t most) {
  raise(errc::malformed,
        "the line has more than " + std::to_string(most) +
            " bytes, the most that one may have; a line end may be missing",
        {.file = file, .line = line});
}

/// The source and the target of a record.
inline text_problem parse_edge(text_cursor& cursor, std::uint64_t source_limit,
                               std::uint64_t target_limit, std::uint64_t& u,
                               std::uint64_t& v) noexcept {
  const char* begin = cursor.at();
  if (const auto fault = cursor.unsigned_number(u); fault != text_fault::none)
    return {fault, 1, begin};
  if (u >= source_limit) return {text_fault::out_of_range, 1, begin};
  if (!cursor.next_column()) return {text_fault::missing_column, 2, begin};
  begin = cursor.at();
  if (const auto fault = cursor.unsigned_number(v); fault != text_fault::none)
    return {fault, 2, begin};
  if (v >= target_limit) return {text_fault::out_of_range, 2, begin};
  return {};
}

/// What a column of an edge list must be, and the code of a number that is not.
inline std::pair<std::string, errc> edge_column_needed(const text_problem& problem,
                                                       const edge_text_options& options,
                                                       std::uint64_t source_limit,
                                                       std::uint64_t target_limit) {
  if (problem.column > 2) return {"a weight, a finite number", errc::overflow};
  const bool first = problem.column == 1;
  const std::uint64_t count = first ? options.source_count : options.target_count;
  const std::uint64_t limit = first ? source_limit : target_limit;
  std::string sentence = first ? "a source node ID" : "a target node ID";
  sentence += limit == 0 ? ", of which there are none"
                         : ", an integer from 0 to " + std::to_string(limit - 1);
  return {sentence,
          count != ~std::uint64_t{0} && limit == count ? errc::out_of_range : errc::overflow};
}

/// Two plain columns of IDs. @return behind the second, where `u` and `v` are below the limits;
/// else nothing
[[gnu::always_inline]] inline const char* plain_edge(const char* p, char separator,
                                                     std::uint64_t source_limit,
                                                     std::uint64_t target_limit, std::uint64_t& u,
                                                     std::uint64_t& v) noexcept {
  const unsigned u_digits = text_cursor::plain_number(p, u);
  p += u_digits;
  if (u_digits == 0 || *p != separator || u >= source_limit) return nullptr;
  ++p;
  const unsigned v_digits = text_cursor::plain_number(p, v);
  return v_digits == 0 || v >= target_limit ? nullptr : p + v_digits;
}

/// From behind the columns of a plain line to the next line, over further columns if they may be
/// there.
/// @return nothing where another character stands there, or no line end follows
[[gnu::always_inline]] inline const char* after_plain_line(const char* p, const char* text_end,
                                                           char separator,
                                                           bool more_columns) noexcept {
  if (!more_columns || *p != separator) return text_cursor::after_line_end(p);
  const void* const found = std::memchr(p, '\n', static_cast<std::size_t>(text_end - p));
  return found == nullptr ? nullptr : static_cast<const char*>(found) + 1;
}

template <class Weight, id Node, executor Executor>
text_problem read_edges_into(std::string_view text, const edge_text_options& options,
                             const std::string& file, edge_text<Node>& out,
                             const Executor& executor) {
  constexpr bool weighted = !std::is_void_v<Weight>;
  using weight_type = std::conditional_t<weighted, Weight, char>;
  // The ID of the last node must fit Node; where the caller's count allows more, that is an
  // overflow.
  const std::uint64_t source_limit = std::min(options.source_count, id_capacity<Node>());
  const std::uint64_t target_limit = std::min(options.target_count, id_capacity<Node>());
  auto pieces = cut_text(text, 4, executor, &options.format);
  const char* const text_end = text.data() + text.size();
  std::vector<weight_type> weights;
  if constexpr (weighted)
    resize_columns(slots_of(pieces), executor, out.source, out.target, weights);
  else
    resize_columns(slots_of(pieces), executor, out.source, out.target);
  Node* const source = out.source.data();
  Node* const target = out.target.data();
  weight_type* const weight = weights.data();
  const bool no_weight_allowed = options.weights == edge_weights::detected && !weighted;
  const bool columns_ignored = options.weights == edge_weights::ignored;

  const auto plain = [=](const char* p, std::size_t slot, char separator) noexcept -> const char* {
    std::uint64_t u = 0, v = 0;
    p = plain_edge(p, separator, source_limit, target_limit, u, v);
    if (p == nullptr) return nullptr;
    if constexpr (std::same_as<Weight, std::int64_t>) {
      if (*p != separator) return nullptr;
      ++p;
      const bool negative = *p == '-';
      p += negative ? 1 : 0;
      std::uint64_t w = 0;
      const unsigned w_digits = text_cursor::plain_number(p, w);
      if (w_digits == 0 || w > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return nullptr;
      p = text_cursor::after_line_end(p + w_digits);
      if (p == nullptr) return nullptr;
      weight[slot] = static_cast<std::int64_t>(negative ? std::uint64_t{0} - w : w);
    } else if constexpr (weighted) {
      return nullptr;
    } else {
      p = after_plain_line(p, text_end, separator, columns_ignored);
      if (p == nullptr) return nullptr;
    }
    source[slot] = static_cast<Node>(u);
    target[slot] = static_cast<Node>(v);
    return p;
  };
  parse_pieces(
      pieces, options.format, executor,
      [=](text_cursor& cursor, std::size_t slot) -> text_problem {
        std::uint64_t u = 0, v = 0;
        if (const auto problem = parse_edge(cursor, source_limit, target_limit, u, v);
            problem.fault != text_fault::none)
          return problem;
        source[slot] = static_cast<Node>(u);
        target[slot] = static_cast<Node>(v);
        if constexpr (weighted) {
          if (!cursor.next_column()) return {text_fault::missing_column, 3, cursor.at()};
          text_fault fault;
          if constexpr (std::same_as<Weight, double>)
            fault = cursor.floating_number(weight[slot]);
          else
            fault = cursor.signed_number(weight[slot]);
          if (fault != text_fault::none) return {fault, 3, cursor.at()};
        } else if (no_weight_allowed) {
          if (cursor.next_column()) return {text_fault::mixed_columns, 3, cursor.at()};
        }
        return {};
      },
      plain);
  for (const auto& piece : pieces) {
    if (piece.problem.fault == text_fault::none) continue;
    // A column that was a whole number until now may go on as floating numbers.
    if constexpr (std::same_as<Weight, std::int64_t>) {
      if (piece.problem.column == 3 && (piece.problem.fault == text_fault::not_a_number ||
                                        piece.problem.fault == text_fault::overflow)) {
        return piece.problem;
      }
    }
    break;
  }
  raise_first_problem(pieces, options.format, file, [&](const text_problem& problem) {
    return edge_column_needed(problem, options, source_limit, target_limit);
  });
  close_gaps(out.source, pieces);
  close_gaps(out.target, pieces);
  if constexpr (weighted) {
    close_gaps(weights, pieces);
    out.weight = std::move(weights);
  }
  return {};
}

/// Has the first record a third column?
inline bool first_record_has_third_column(std::string_view text, text_format format) noexcept {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text_cursor cursor(text.data(), text.data() + text.size(), format);
  while (!cursor.done()) {
    cursor.skip_blanks();
    if (!cursor.at_line_end()) {
      std::uint64_t ignored = 0;
      return cursor.unsigned_number(ignored) == text_fault::none && cursor.next_column() &&
             cursor.unsigned_number(ignored) == text_fault::none && cursor.next_column();
    }
    cursor.next_line();
  }
  return false;
}

}  // namespace detail

/// Open a file of lines and check how long they are.
///
/// @param open     its member `lines(path, most)` where it has one (openers that inflate: they stop
///     at the first line that is too long)
/// @param longest  bytes that a line may have
/// @errors those of the opener; malformed, with the line: a line is longer
/// @complexity that of opening, and a look at one byte in `longest`
template <class Opener>
auto open_lines(const Opener& open, const std::string& path, std::size_t longest = longest_line) {
  if constexpr (requires { open.lines(path, longest); }) {
    return open.lines(path, longest);
  } else {
    auto content = open(path);
    const std::string_view text = detail::as_text(content.bytes);
    if (const char* const at = detail::line_lengths(longest).too_long(text)) {
      detail::raise_long_line(path, 1 + detail::count_line_ends(text.data(), at), longest);
    }
    return content;
  }
}

/// Parse an edge list: a source and a target node ID a line, perhaps a weight, further columns
/// ignored.
///
/// @param text  the file's bytes
/// @param file  its name, for errors
/// @return      [E] columns, edge e from the (e+1)-th line that holds a record
/// @errors malformed, out_of_range (an ID not below its count, or negative), overflow (an ID that
///     Node cannot hold); always with the line. invalid_argument: a delimiter that can be part of a
///     number
/// @complexity  O(text.size()) time; memory of the result: lines without a record take none
template <id Node = std::uint64_t, executor Executor = sequential>
edge_text<Node> read_edges(std::span<const std::byte> text, const std::string& file,
                           const edge_text_options& options = {}, const Executor& executor = {}) {
  detail::check_format(options.format);
  const std::string_view view = detail::as_text(text);
  edge_text<Node> out;
  if (options.weights == edge_weights::required ||
      (options.weights == edge_weights::detected &&
       detail::first_record_has_third_column(view, options.format))) {
    const auto problem = detail::read_edges_into<std::int64_t>(view, options, file, out, executor);
    if (problem.fault != detail::text_fault::none) {
      static_cast<void>(detail::read_edges_into<double>(view, options, file, out, executor));
    }
  } else {
    static_cast<void>(detail::read_edges_into<void>(view, options, file, out, executor));
  }
  return out;
}

/// Parse the first columns of a table of integers.
///
/// @param bytes    the file's
/// @param columns  how many columns each record must have at least
/// @return         [columns][lines that hold a record]
/// @errors  as read_edges(); out_of_range: a value outside options.least to options.most
/// @complexity O(bytes.size()) time, memory as read_edges()
template <std::signed_integral Value = std::int64_t, executor Executor = sequential>
std::vector<std::vector<Value>> read_columns(std::span<const std::byte> bytes,
                                             const std::string& file, std::size_t columns,
                                             const column_text_options& options = {},
                                             const Executor& executor = {}) {
  detail::check_format(options.format);
  if (columns == 0)
    raise(errc::invalid_argument, "a table of 0 columns is asked for; it needs one at least");
  const std::int64_t least = std::max<std::int64_t>(options.least,
                                                    std::numeric_limits<Value>::min());
  const std::int64_t most = std::min<std::int64_t>(options.most, std::numeric_limits<Value>::max());
  // 2 bytes, not 2 for each column: the first columns of a line are stored before a missing one is
  // found.
  const std::string_view text = detail::as_text(bytes);
  auto pieces = detail::cut_text(text, 2, executor, &options.format);
  std::vector<std::vector<Value>> out(columns);
  executor.parallel_for(0, columns, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) out[i].resize(detail::slots_of(pieces));
  });
  std::vector<Value*> places;
  for (auto& column : out) places.push_back(column.data());
  const bool more_columns = !options.no_more_columns;
  const auto plain = [text_end = text.data() + text.size(), first = places.data(), columns, least,
                      most, more_columns](const char* p, std::size_t slot,
                                          char separator) noexcept -> const char* {
    using cursor = detail::text_cursor;
    for (std::size_t column = 0; column < columns; ++column) {
      if (text_end - p < detail::piece_run::plain_margin) return nullptr;
      if (column != 0 && *p++ != separator) return nullptr;
      const bool negative = *p == '-';
      p += negative ? 1 : 0;
      std::uint64_t magnitude = 0;
      const unsigned digits = cursor::plain_number(p, magnitude);
      const auto value = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude
                                                            : magnitude);
      if (digits == 0 ||
          magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
          value < least || value > most)
        return nullptr;
      p += digits;
      first[column][slot] = static_cast<Value>(value);
    }
    return detail::after_plain_line(p, text_end, separator, more_columns);
  };
  detail::parse_pieces(
      pieces, options.format, executor,
      [&](detail::text_cursor& cursor, std::size_t slot) -> detail::text_problem {
        for (std::size_t column = 0; column < columns; ++column) {
          const auto number = static_cast<unsigned>(column + 1);
          const char* const before = cursor.at();
          if (column != 0 && !cursor.next_column())
            return {detail::text_fault::missing_column, number, before};
          const char* const begin = cursor.at();
          std::int64_t value = 0;
          auto fault = cursor.signed_number(value);
          if (fault == detail::text_fault::not_a_number && options.integral_floats) {
            double floating = 0;
            // 2^53: beyond it not every integer is a double, and the text may mean another.
            if (cursor.floating_number(floating) == detail::text_fault::none &&
                std::trunc(floating) == floating && std::abs(floating) <= 9007199254740992.0) {
              fault = detail::text_fault::none;
              value = static_cast<std::int64_t>(floating);
            }
          }
          if (fault != detail::text_fault::none) return {fault, number, begin};
          if (value < least || value > most)
            return {detail::text_fault::out_of_range, number, begin};
          out[column][slot] = static_cast<Value>(value);
        }
        if (options.no_more_columns && cursor.next_column()) {
          return {detail::text_fault::unknown_column, static_cast<unsigned>(columns + 1),
                  cursor.at()};
        }
        return {};
      },
      plain);
  detail::raise_first_problem(
      pieces, options.format, file, [&](const detail::text_problem& problem) {
        std::string sentence(options.what);
        if (problem.fault != detail::text_fault::unknown_column) {
          if (most < least)
            sentence += ", of which there are none";
          else if (least != std::numeric_limits<std::int64_t>::min() ||
                   most != std::numeric_limits<std::int64_t>::max())
            sentence += " from " + std::to_string(least) + " to " + std::to_string(most);
        }
        return std::pair{sentence, errc::out_of_range};
      });
  for (auto& column : out) detail::close_gaps(column, pieces);
  return out;
}

/// Parse a column of integers: the first of each line. As read_columns() of one column.
template <std::signed_integral Value = std::int64_t, executor Executor = sequential>
std::vector<Value> read_column(std::span<const std::byte> text, const std::string& file,
                               const column_text_options& options = {},
                               const Executor& executor = {}) {
  return std::move(read_columns<Value>(text, file, 1, options, executor)[0]);
}

/// Append an integer as decimal digits.
template <std::integral T>
  requires(!std::same_as<T, bool>)
void append_number(std::string& out, T value) {
  char buffer[24];
  if constexpr (sizeof(T) == 1) {
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, static_cast<int>(value)).ptr);
  } else {
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }
}

namespace detail {

/// The four digits of every number below 10^4, zeros in front included, the first one in the lowest
/// byte, each a value from 0 to 9. A template, so that who writes no numbers compiles none.
template <bool There>
struct four_digits {
  struct table {
    std::uint32_t of[10000];
  };
  static constexpr table make() noexcept {
    table out{};
    for (std::uint32_t value = 0; value < 10000; ++value) {
      out.of[value] = value / 1000 | value / 100 % 10 << 8 | value / 10 % 10 << 16 |
                      value % 10 << 24;
    }
    return out;
  }
  static constexpr table all = make();
};

/// Up to four digits, without zeros in front. @param out 4 bytes, all of which may be written
/// @return behind the last one
template <bool There = true>
char* write_digits(char* out, std::uint32_t value) noexcept {
  const std::uint32_t digits = four_digits<There>::all.of[value];
  const auto dropped = static_cast<unsigned>(std::countr_zero(digits | std::uint32_t{1} << 24)) &
                       ~7u;
  const std::uint32_t characters = (digits | 0x30303030u) >> dropped;
  std::memcpy(out, &characters, 4);
  return out + (4 - dropped / 8);
}
/// Four digits, zeros in front included.
template <bool There = true>
char* write_four_digits(char* out, std::uint32_t value) noexcept {
  const std::uint32_t characters = four_digits<There>::all.of[value] | 0x30303030u;
  std::memcpy(out, &characters, 4);
  return out + 4;
}
/// More than eight digits. Not inlined, so that the shorter numbers beside it are.
template <bool There = true>
[[gnu::noinline]] char* write_long_number(char* out, std::uint64_t value) noexcept {
  constexpr std::uint64_t unit = 100000000;
  const std::uint64_t high = value / unit;
  const auto low = static_cast<std::uint32_t>(value % unit);
  if (high < 10000) {
    out = write_digits<There>(out, static_cast<std::uint32_t>(high));
  } else {
    const std::uint64_t front = high / 10000;
    if (front < 10000) {
      out = write_digits<There>(out, static_cast<std::uint32_t>(front));
    } else {
      out = write_digits<There>(out, static_cast<std::uint32_t>(front / 10000));
      out = write_four_digits<There>(out, static_cast<std::uint32_t>(front % 10000));
    }
    out = write_four_digits<There>(out, static_cast<std::uint32_t>(high % 10000));
  }
  return write_four_digits<There>(write_four_digits<There>(out, low / 10000), low % 10000);
}

/// Write a number as decimal digits. @param out 24 bytes, all of which may be written @return
/// behind the last digit
template <std::integral T>
char* write_number(char* out, T value) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    auto rest = static_cast<std::uint64_t>(value);
    if constexpr (std::is_signed_v<T>) {  // without a jump: signs may come in any order
      const std::uint64_t negative = rest >> 63;
      *out = '-';
      out += negative;
      rest = (rest ^ (std::uint64_t{0} - negative)) + negative;
    }
    // Four digits cost a load. Most numbers of a column are of one size, so that the jumps are
    // foreseen.
    if (rest < 10000) return write_digits(out, static_cast<std::uint32_t>(rest));
    if (rest < 100000000) {
      const auto few = static_cast<std::uint32_t>(rest);
      return write_four_digits(write_digits(out, few / 10000), few % 10000);
    }
    return write_long_number(out, rest);
  } else {
    using printed = std::conditional_t<sizeof(T) == 1, int, T>;  // not a character
    return std::to_chars(out, out + 24, static_cast<printed>(value)).ptr;
  }
}

/// Append `count` lines, of which line(out, i) writes the i-th and answers its end, through a small
/// buffer.
/// @param longest  bytes that a line may write
template <class Line>
void append_lines(std::string& out, std::size_t count, std::size_t longest, Line line) {
  char buffer[8192];
  const std::size_t at_once = sizeof buffer / longest;
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t last = std::min(count, first + at_once);
    char* at = buffer;
    for (std::size_t i = first; i < last; ++i) at = line(at, i);
    out.append(buffer, at);
  }
}

/// Append what lines(text, first, last) appends, over [0, count) in turn; several runs at once,
/// each into memory of its own.
template <executor Executor, class Lines>
void append_in_runs(std::string& out, std::size_t count, const Executor& executor,
                    const Lines& lines) {
  constexpr std::size_t least = std::size_t{1} << 12, most = std::size_t{1} << 16;
  const std::size_t many = std::min(executor.concurrency(), (count + least - 1) / least);
  if (many <= 1) {
    lines(out, std::size_t{0}, count);
    return;
  }
  // The first run of a round goes straight into `out`.
  const std::size_t run = std::min(most, (count - 1) / many + 1);
  std::vector<std::string> others(many - 1);
  for (std::size_t begin = 0; begin < count;) {
    const std::size_t runs = std::min(many, (count - begin - 1) / run + 1);
    executor.parallel_for(0, runs, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t from = begin + i * run;
        std::string& text = i == 0 ? out : others[i - 1];
        if (i != 0) text.clear();
        lines(text, from, from + std::min(run, count - from));
      }
    });
    for (std::size_t i = 1; i < runs; ++i) out += others[i - 1];
    begin += std::min(runs * run, count - begin);
  }
}

}  // namespace detail

/// Append an edge list: "source target\n" for each edge.
/// @param between   the character between the two
/// @param executor  what runs at once; the text does not depend on it
/// @complexity O(text) time; memory beside `out`: the text of 65536 edges for each thread but the
///     first
template <id Node, executor Executor = sequential>
void append_edges(std::string& out, std::span<const Node> source, std::span<const Node> target,
                  char between = ' ', const Executor& executor = {}) {
  detail::append_in_runs(
      out, source.size(), executor,
      [source, target, between](std::string& text, std::size_t first, std::size_t last) {
        detail::append_lines(text, last - first, 64,
                             [from = source.data() + first, to = target.data() + first, between](
                                 char* at, std::size_t e) {
                               at = detail::write_number(at, from[e]);
                               *at = between;
                               at = detail::write_number(at + 1, to[e]);
                               *at = '\n';
                               return at + 1;
                             });
      });
}

/// Append a column: "value\n" for each value.
template <std::integral T>
  requires(!std::same_as<T, bool>)
void append_column(std::string& out, std::span<const T> values) {
  detail::append_lines(out, values.size(), 32, [from = values.data()](char* at, std::size_t i) {
    at = detail::write_number(at, from[i]);
    *at = '\n';
    return at + 1;
  });
}

}  // namespace halograph
