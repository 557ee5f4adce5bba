// SPDX-License-Identifier: BSL-1.0
/// @file stream_tables.hpp
/// A graph from tables: csv files of nodes and edges whose keys are text or any integers, made into
/// dense IDs within a budget.
/// Layer: io. Words: README.md.
///
/// A specification in JSON says what the tables are:
///
///     {"graph_name": "shop", "delimiter": ",",
///      "nodes": {"user": {"files": ["users.csv"], "key": "id",
///                         "features": {"age": {"columns": "age", "dtype": "float32", "missing":
///                         -1}}},
///                "item": {"keys": "integer"}},
///      "edges": {"user:buys:item": {"files": ["buys-0.csv", "buys-1.csv.gz"], "source": "user",
///      "target": "item"}}}
///
/// | key | meaning |
/// | --- | --- |
/// | `graph_name` | optional; else the specification's own name |
/// | `nodes`, `edges` | node type, `source:relation:target` -> table; their order is that of the types |
/// | `files` | paths, absolute or beside the specification, laid end to end; of a node type optional |
/// | `key`; `source`, `target` | columns of the keys |
/// | `keys` | of a node type: "text" (default), each byte counts; "integer", 007 is 7 |
/// | `features` | name -> `columns`, one (rows of shape [n]) or a list ([n, columns]); `dtype`, default float32; `missing`, the value of an empty field, default none |
/// | `delimiter`, `quote`, `header` | of all tables, or of one: default "," and "\"" (null: no quotes) and true |
///
/// A column is a name from the header, or a number from 0. Quotes are those of RFC 4180 (csv.hpp).
///
/// IDs are dense within each type: the order of the rows in the node files, where each key stands
/// once; of a type without files, the order of the keys that edges name, ascending. Keys are sorted
/// on disk and joined with the edges, twice for each end; the dictionary of each type is kept as
/// `<type>.keys` (key_dictionary.hpp).
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/io/key_dictionary.hpp>
#include <halograph/io/streamed_graph.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/external_sort.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/json_members.hpp>
#include <halograph/serial/text/csv.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/lines.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// A column by its name in the header, or by its number.
struct csv_column {
  std::string name{};        ///< "" where it goes by number
  std::uint64_t number = 0;  ///< from 0
};

/// A feature from columns of a table.
struct csv_feature {
  std::string name{};
  std::vector<csv_column> columns{};
  bool vector = false;  ///< rows of shape [columns], even of one
  dtype element = dtype::float32;
  std::optional<std::string> missing{};  ///< stands for an empty field
};

/// Files of one layout, laid end to end.
struct csv_table {
  std::vector<std::string> files{};
  csv_format format{};
  bool header = true;
  std::vector<csv_feature> features{};
};

/// The table of a node type; without files, the type has the keys that edges name.
struct node_table {
  std::string type{};
  csv_column key{};
  key_kind keys = key_kind::text;
  csv_table table{};
};

/// The table of an edge type.
struct edge_table {
  canonical_etype type{};
  csv_column source{};
  csv_column target{};
  csv_table table{};
};

/// What a specification says.
struct tables_spec {
  std::string name{};
  std::vector<node_table> nodes{};
  std::vector<edge_table> edges{};
};

/// How tables are read.
struct tables_options {
  std::string scratch{};       ///< folder for temporary files; about twice the keys and IDs of the
                               ///< largest edge type, and all IDs and features
  std::string dictionaries{};  ///< folder that gets `<type>.keys`
  std::uint64_t memory = std::uint64_t{1} << 30;  ///< bytes to sort with
  progress_callback on_progress{};
};

namespace detail {

class tables_spec_reader {
 public:
  tables_spec_reader(const json::value& root, std::string file)
      : root_(root), file_(std::move(file)) {
    folder_ = std::filesystem::path(file_).parent_path().string();
  }

  tables_spec read() {
    refuse_unknown(root_, "the specification",
                   {"graph_name", "nodes", "edges", "delimiter", "quote", "header"});
    tables_spec spec;
    const auto* const name = root_.find("graph_name");
    spec.name = name != nullptr ? as_string(*name, "graph_name", file_)
                                : std::filesystem::path(file_).stem().string();
    const csv_table common = layout(root_, {});
    graph_schema schema;
    for (const auto& [name_of_type, entry] :
         as_object(required_member(root_, "nodes", file_), "nodes", file_)) {
      const auto& type = name_of_type;  // Clang 14 captures no structured binding
      here([&] { schema.add_node_type(type); });
      node_table& node = spec.nodes.emplace_back();
      node.type = type;
      refuse_unknown(entry, type,
                     {"files", "key", "keys", "features", "delimiter", "quote", "header"});
      node.table = table(entry, type, common, true);
      if (const auto* kind = entry.find("keys")) {
        const auto& word = as_string(*kind, "keys", file_);
        if (word != "text" && word != "integer")
          fail(errc::malformed, "\"keys\" of " + graph_schema::quoted(type) + " is " +
                                    graph_schema::quoted(word) +
                                    "; it must be \"text\" or \"integer\"");
        node.keys = word == "text" ? key_kind::text : key_kind::integer;
      }
      if (node.table.files.empty()) {
        for (const char* key : {"key", "features"}) {
          if (entry.find(key) != nullptr)
            fail(errc::malformed, "node type " + graph_schema::quoted(type) + " has \"" + key +
                                      "\" but no \"files\", which it would be in");
        }
      } else {
        node.key = column(required_member(entry, "key", file_), node.table, "key");
      }
    }
    if (spec.nodes.empty())
      fail(errc::malformed, "\"nodes\" is empty; a graph has one node type at least");
    for (const auto& [type, entry] :
         as_object(required_member(root_, "edges", file_), "edges", file_)) {
      auto triple = canonical_etype::parse(type);
      if (!triple)
        fail(errc::malformed, "edge type " + graph_schema::quoted(type) +
                                  " is not of the form source:relation:target");
      here([&] { schema.add_edge_type(*triple); });
      edge_table& edge = spec.edges.emplace_back();
      edge.type = std::move(*triple);
      refuse_unknown(entry, type,
                     {"files", "source", "target", "features", "delimiter", "quote", "header"});
      edge.table = table(entry, type, common, false);
      edge.source = column(required_member(entry, "source", file_), edge.table, "source");
      edge.target = column(required_member(entry, "target", file_), edge.table, "target");
    }
    return spec;
  }

 private:
  [[noreturn]] void fail(errc code, const std::string& sentence) const {
    raise(code, sentence, {.file = file_});
  }
  template <class Function>
  void here(Function&& f) const {
    try {
      f();
    } catch (const error& problem) {
      fail(problem.code(), problem.message());
    }
  }
  /// A key that nobody reads is a mistake that nobody would hear of.
  void refuse_unknown(const json::value& entry, const std::string& of,
                      std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : as_object(entry, of, file_)) {
      static_cast<void>(value);
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      std::string all;
      for (const auto one : known) all += (all.empty() ? "" : ", ") + std::string(one);
      fail(errc::malformed, "key " + graph_schema::quoted(key) + " of " + graph_schema::quoted(of) +
                                " is unknown; known are " + all);
    }
  }
  csv_table layout(const json::value& entry, csv_table out) const {
    const auto one_character = [&](const char* key) {
      const auto& text = as_string(*entry.find(key), key, file_);
      if (text.size() != 1)
        fail(errc::malformed, "\"" + std::string(key) + "\" is " + graph_schema::quoted(text) +
                                  "; it must be one character");
      return text[0];
    };
    if (entry.find("delimiter")) out.format.delimiter = one_character("delimiter");
    if (const auto* quote = entry.find("quote"))
      out.format.quote = quote->is_null() ? '\0' : one_character("quote");
    if (const auto* header = entry.find("header")) {
      const bool* const value = header->if_bool();
      if (value == nullptr) raise_kind("header", "true or false", file_);
      out.header = *value;
    }
    here([&] { csv_reader({}, out.format, file_); });
    return out;
  }
  csv_table table(const json::value& entry, const std::string& of, const csv_table& common,
                  bool files_optional) const {
    csv_table out = layout(entry, common);
    const auto* const files = entry.find("files");
    if (files == nullptr && !files_optional)
      static_cast<void>(required_member(entry, "files", file_));
    if (files != nullptr) {
      for (const auto& path : as_array(*files, "files", file_)) {
        const auto& text = as_string(path, "files", file_);
        out.files.push_back(text.starts_with('/') || folder_.empty() ? text : folder_ + "/" + text);
      }
      if (out.files.empty() && files_optional)
        fail(errc::malformed, "\"files\" of " + graph_schema::quoted(of) +
                                  " is empty; leave it out where edges name the nodes");
    }
    if (const auto* const features = optional_object(entry, "features", file_)) {
      for (const auto& [name, description] : *features) {
        if (!is_safe_name(name))
          fail(errc::invalid_argument,
               "feature name " + graph_schema::quoted(name) +
                   " must be 1 to 200 bytes without '/' and control characters");
        for (const auto& other : out.features) {
          if (other.name == name)
            fail(errc::exists, "feature " + graph_schema::quoted(name) + " of " +
                                   graph_schema::quoted(of) +
                                   " is listed twice; names must differ");
        }
        out.features.push_back(feature(name, description, out));
      }
    }
    return out;
  }
  csv_feature feature(const std::string& name, const json::value& entry,
                      const csv_table& table) const {
    refuse_unknown(entry, name, {"columns", "dtype", "missing"});
    csv_feature out;
    out.name = name;
    const json::value& columns = required_member(entry, "columns", file_);
    if (const auto* list = columns.if_array()) {
      out.vector = true;
      for (const auto& one : *list) out.columns.push_back(column(one, table, "columns"));
      if (out.columns.empty())
        fail(errc::malformed, "feature " + graph_schema::quoted(name) +
                                  " has an empty list of columns; it needs one");
    } else {
      out.columns.push_back(column(columns, table, "columns"));
    }
    if (const auto* type = entry.find("dtype")) {
      const auto& word = as_string(*type, "dtype", file_);
      const auto known = dtype_named(word);
      if (!known || *known == dtype::bfloat16)
        fail(errc::unsupported,
             "\"dtype\" of " + graph_schema::quoted(name) + " is " + graph_schema::quoted(word) +
                 "; it must be int8 to int64, uint8 to uint64, float16, float32, float64 or bool");
      out.element = *known;
    }
    if (const auto* missing = entry.find("missing"); missing != nullptr && !missing->is_null()) {
      if (const auto* text = missing->if_string())
        out.missing = *text;
      else if (missing->is_array() || missing->is_object())
        raise_kind("missing", "a number, or text such as \"nan\"", file_);
      else
        out.missing = json::print(*missing, 0);
    }
    return out;
  }
  csv_column column(const json::value& v, const csv_table& table, const char* key) const {
    csv_column out;
    if (const auto* name = v.if_string()) {
      out.name = *name;
      if (!table.header)
        fail(errc::malformed,
             "\"" + std::string(key) + "\" is column " + graph_schema::quoted(*name) +
                 ", but there is no header to find it in; give its number, from 0");
      if (out.name.empty())
        fail(errc::malformed,
             "\"" + std::string(key) + "\" is empty; it must be a column's name or number");
    } else if (!v.to_uint(out.number)) {
      raise_kind(key, "a column's name, or its number from 0", file_);
    }
    return out;
  }

  const json::value& root_;
  std::string file_;
  std::string folder_{};
};

/// Put a field into an element. @return false: it is no such number
inline bool store_field(std::string_view field, dtype type, std::byte* out) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  if (field.size() > 1 && field.front() == '+' && field[1] != '-' && field[1] != '+')
    field.remove_prefix(1);
  const char* const begin = field.data();
  const char* const end = begin + field.size();
  const auto floating = [&](double& value) {
    const auto [stop, problem] = std::from_chars(begin, end, value);
    if (stop != end) return false;
    if (problem == std::errc::result_out_of_range) {
      // Too small is zero; too large is no number that we could hold.
      const auto exponent = field.find_first_of("eE");
      if (exponent == std::string_view::npos || exponent + 1 >= field.size() ||
          field[exponent + 1] != '-')
        return false;
      value = 0;
      return true;
    }
    return problem == std::errc{};
  };
  const auto put = [out](auto value) { std::memcpy(out, &value, sizeof value); };
  const auto integer = [&](auto zero) {
    using number = decltype(zero);
    number value = 0;
    const auto [stop, problem] = std::from_chars(begin, end, value);
    if (problem != std::errc{} || stop != end) {
      // Tools that know missing values print whole numbers as "3.0".
      double exact = 0;
      if (field.find_first_of(".eE") == std::string_view::npos || !floating(exact) ||
          !(std::abs(exact) <= 9007199254740992.0) || std::trunc(exact) != exact)
        return false;
      if (exact < static_cast<double>(std::numeric_limits<number>::min()) ||
          exact > static_cast<double>(std::numeric_limits<number>::max()))
        return false;
      value = static_cast<number>(exact);
    }
    put(value);
    return true;
  };
  switch (type) {
    case dtype::int8:
      return integer(std::int8_t{});
    case dtype::int16:
      return integer(std::int16_t{});
    case dtype::int32:
      return integer(std::int32_t{});
    case dtype::int64:
      return integer(std::int64_t{});
    case dtype::uint8:
      return integer(std::uint8_t{});
    case dtype::uint16:
      return integer(std::uint16_t{});
    case dtype::uint32:
      return integer(std::uint32_t{});
    case dtype::uint64:
      return integer(std::uint64_t{});
    case dtype::boolean: {
      std::string word(field.substr(0, 6));
      for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      const bool yes = word == "1" || word == "true", no = word == "0" || word == "false";
      put(static_cast<std::uint8_t>(yes ? 1 : 0));
      return yes || no;
    }
    default:
      break;
  }
  if (type == dtype::float32) {
    float value = 0;  // not by way of double, which would round twice
    const auto [stop, problem] = std::from_chars(begin, end, value);
    if (problem == std::errc{} && stop == end) {
      put(value);
      return true;
    }
  }
  double value = 0;
  if (!floating(value)) return false;
  if (type == dtype::float64) {
    put(value);
  } else if (type == dtype::float16) {
    const std::uint16_t half = half_from_double(value);
    if ((half & 0x7FFF) == 0x7C00 && std::isfinite(value)) return false;
    put(half);
  } else {
    const auto narrow = static_cast<float>(value);
    if (!std::isfinite(narrow) && std::isfinite(value)) return false;
    put(narrow);
  }
  return true;
}

/// Walks the records of a table through all its files.
template <file_opener Opener>
class csv_table_reader {
 public:
  csv_table_reader(const csv_table& table, const Opener& open, const progress_callback& on_progress)
      : table_(table), open_(open), on_progress_(on_progress) {}

  /// Ask for a column. @return its slot in field()
  std::size_t want(const csv_column& column) {
    wanted_.push_back(&column);
    return wanted_.size() - 1;
  }

  /// To the next record of any file.
  /// @errors not_found: the header has not a column; malformed: a record of another number of
  ///     fields
  bool next() {
    for (;;) {
      if (!reader_) {
        if (file_ == table_.files.size()) return false;
        begin_file();
      }
      if (reader_->next()) {
        if (fields_ == 0) find_by_number(reader_->size());
        if (reader_->size() != fields_) {
          raise(errc::malformed,
                "the record has " + std::to_string(reader_->size()) + " fields; it must have " +
                    std::to_string(fields_) + ", as " +
                    (table_.header ? "the header" : "the first record"),
                reader_->where());
        }
        if (++rows_ % (1 << 16) == 0) report();
        return true;
      }
      report();
      reader_.reset();
      content_ = {};
      ++file_;
    }
  }
  std::string_view field(std::size_t slot) const noexcept { return (*reader_)[places_[slot]]; }
  std::string column_name(std::size_t slot) const {
    const auto& column = *wanted_[slot];
    return column.name.empty() ? "column " + std::to_string(column.number)
                               : "column " + graph_schema::quoted(column.name);
  }
  location where() const { return reader_->where(); }
  std::uint64_t rows() const noexcept { return rows_; }

 private:
  void begin_file() {
    const std::string& path = table_.files[file_];
    content_ = open_lines(open_, path, csv_reader::longest_record);
    reader_.emplace(content_.bytes, table_.format, path);
    fields_ = 0;
    if (!table_.header) return;
    if (!reader_->next())
      raise(errc::malformed, "the file is empty; it must begin with a header", {.file = path});
    fields_ = reader_->size();
    places_.clear();
    for (const auto* column : wanted_) {
      std::size_t place = column->name.empty() ? static_cast<std::size_t>(std::min<std::uint64_t>(
                                                     column->number, fields_))
                                               : fields_;
      std::string known;
      for (std::size_t i = 0; i < fields_; ++i) {
        known += (i == 0 ? "" : ", ") + graph_schema::quoted((*reader_)[i]);
        if (column->name.empty() || (*reader_)[i] != column->name) continue;
        if (place != fields_)
          raise(errc::malformed,
                "two columns are called " + graph_schema::quoted(column->name) +
                    "; give the number of the one that is meant, from 0",
                reader_->where());
        place = i;
      }
      if (place == fields_) {
        raise(errc::not_found,
              (column->name.empty() ? "there is no column " + std::to_string(column->number)
                                    : "no column is called " + graph_schema::quoted(column->name)) +
                  "; there are " + known,
              reader_->where());
      }
      places_.push_back(place);
    }
  }
  void report() const {
    if (on_progress_)
      on_progress_({"read tables", reader_->bytes(), content_.bytes.size(), "bytes"});
  }
  void find_by_number(std::size_t fields) {
    fields_ = fields;
    places_.clear();
    for (const auto* column : wanted_) {
      if (column->number >= fields) {
        raise(errc::not_found,
              "there is no column " + std::to_string(column->number) + "; the record has " +
                  std::to_string(fields) + ", numbered from 0",
              reader_->where());
      }
      places_.push_back(static_cast<std::size_t>(column->number));
    }
  }

  const csv_table& table_;
  const Opener& open_;
  const progress_callback& on_progress_;
  std::vector<const csv_column*> wanted_{};
  std::vector<std::size_t> places_{};
  std::size_t file_ = 0, fields_ = 0;
  file_bytes content_{};
  std::optional<csv_reader> reader_{};
  std::uint64_t rows_ = 0;
};

template <file_opener Opener>
class tables_streamer {
 public:
  tables_streamer(const tables_spec& spec, const tables_options& options, const Opener& open)
      : spec_(spec), options_(options), open_(open) {}

  streamed_graph run() {
    graph_.name = spec_.name;
    for (const auto& node : spec_.nodes) graph_.schema.add_node_type(node.type);
    for (const auto& edge : spec_.edges) graph_.schema.add_edge_type(edge.type);
    for (std::size_t t = 0; t < spec_.nodes.size(); ++t) {
      graph_.node_counts.push_back(spec_.nodes[t].table.files.empty() ? keys_of_edges(t)
                                                                      : keys_of_nodes(t));
    }
    struct ends {
      std::shared_ptr<scratch_file> source, target;
    };
    std::vector<ends> columns;
    for (std::size_t r = 0; r < spec_.edges.size(); ++r) {
      auto [source, target] = resolve(r);
      columns.push_back({std::move(source), std::move(target)});
    }
    graph_.read_edges = [columns](type_id r, std::uint64_t first, std::uint64_t last,
                                  const edge_block_visitor& visit) {
      std::vector<std::uint64_t> from, to;
      for (; first < last; first += from.size()) {
        from.resize(static_cast<std::size_t>(std::min(edges_per_block, last - first)));
        to.resize(from.size());
        columns[r].source->read_at(first * 8, std::as_writable_bytes(std::span(from)));
        columns[r].target->read_at(first * 8, std::as_writable_bytes(std::span(to)));
        visit(from, to, first);
      }
    };
    return std::move(graph_);
  }

 private:
  using reader = csv_table_reader<Opener>;

  std::string path_of(std::size_t node_type) const {
    return options_.dictionaries + "/" + spec_.nodes[node_type].type + ".keys";
  }
  type_id node_type_of(const std::string& name) const { return *graph_.schema.node_type(name); }

  node_key key_from(const reader& at, std::size_t slot, key_kind kind) const {
    const std::string_view field = at.field(slot);
    const auto key = node_key::from(field, kind);
    if (!key || field.empty()) {
      raise(errc::malformed,
            "the key in " + at.column_name(slot) + " is " +
                (field.empty() ? "empty" : graph_schema::quoted(field)) + "; it must be " +
                (kind == key_kind::text ? "some text" : "an integer of 64 bits"),
            at.where());
    }
    if (key->bytes().size() > external_sorter<std::uint64_t>::longest_key) {
      raise(errc::overflow,
            "the key in " + at.column_name(slot) + " has " + std::to_string(field.size()) +
                " bytes; it may have " +
                std::to_string(external_sorter<std::uint64_t>::longest_key),
            at.where());
    }
    return *key;
  }

  /// The features of a table, collected row by row.
  class feature_columns {
   public:
    feature_columns(const csv_table& table, reader& at, const std::string& scratch)
        : table_(table) {
      for (const auto& feature : table.features) {
        auto& one = columns_.emplace_back();
        for (const auto& wanted : feature.columns) one.slots.push_back(at.want(wanted));
        one.row.resize(feature.columns.size() * item_bytes(feature.element));
        one.file = std::make_shared<scratch_file>(scratch);
      }
    }
    void take(const reader& at) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto& feature = table_.features[i];
        auto& one = columns_[i];
        for (std::size_t c = 0; c < one.slots.size(); ++c) {
          std::string_view field = at.field(one.slots[c]);
          const bool empty = field.find_first_not_of(" \t") == std::string_view::npos;
          if (empty && feature.missing) field = *feature.missing;
          if (!store_field(field, feature.element,
                           one.row.data() + c * item_bytes(feature.element))) {
            raise(errc::malformed,
                  at.column_name(one.slots[c]) + " is " +
                      (empty ? std::string("empty") : graph_schema::quoted(field)) +
                      "; it must be a number that " + std::string(name(feature.element)) +
                      " holds" +
                      (empty && !feature.missing
                           ? ", or the specification say what \"missing\" stands for"
                           : ""),
                  at.where());
          }
        }
        one.file->append(one.row);
      }
    }
    void give(type_id type, std::uint64_t rows, std::vector<streamed_feature>& out) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto& feature = table_.features[i];
        streamed_feature one{type, feature.name, feature.element, {}, rows, {}};
        if (feature.vector) one.row_shape.push_back(feature.columns.size());
        columns_[i].file->flush();
        one.read = [file = columns_[i].file, width = columns_[i].row.size()](
                       std::uint64_t first, std::uint64_t, std::span<std::byte> bytes) {
          file->read_at(first * width, bytes);
        };
        out.push_back(std::move(one));
      }
    }

   private:
    struct column {
      std::vector<std::size_t> slots{};
      std::vector<std::byte> row{};
      std::shared_ptr<scratch_file> file{};
    };
    const csv_table& table_;
    std::vector<column> columns_{};
  };

  /// Where row n (from 0) of a table stands; the files are read again up to there.
  location place_of(const csv_table& table, const csv_column& column, std::uint64_t row) const {
    const progress_callback silent;
    reader at(table, open_, silent);
    at.want(column);
    while (at.next()) {
      if (at.rows() == row + 1) return at.where();
    }
    return {};
  }

  std::uint64_t keys_of_nodes(std::size_t t) {
    const node_table& node = spec_.nodes[t];
    external_sorter<std::uint64_t> keys(options_.scratch, options_.memory / 2);
    {
      reader at(node.table, open_, options_.on_progress);
      const std::size_t key = at.want(node.key);
      feature_columns features(node.table, at, options_.scratch);
      while (at.next()) {
        keys.add(key_from(at, key, node.keys).bytes(), at.rows() - 1);
        features.take(at);
      }
      features.give(static_cast<type_id>(t), keys.size(), graph_.node_features);
    }
    auto sorted = keys.sorted();
    std::string before;
    std::uint64_t id_before = 0, seen = 0;
    write_key_dictionary(
        path_of(t), keys.size(), keys.key_bytes(), node.keys,
        [&](std::string_view& key, std::uint64_t& id) {
          if (!sorted.next()) return false;
          key = sorted.key();
          id = sorted.value();
          if (seen++ != 0 && key == before) {
            const location first = place_of(node.table, node.key, id_before);
            raise(errc::exists,
                  "the key " + graph_schema::quoted(node_key::text(key, node.keys)) +
                      " of node type " + graph_schema::quoted(node.type) +
                      " is there already, in " + first.file + ", line " +
                      std::to_string(first.line.value_or(0)) + "; each node needs a key of its own",
                  place_of(node.table, node.key, id));
          }
          before.assign(key);
          id_before = id;
          return true;
        },
        options_.scratch, options_.memory / 2);
    return keys.size();
  }

  std::uint64_t keys_of_edges(std::size_t t) {
    const node_table& node = spec_.nodes[t];
    external_sorter<char> keys(options_.scratch, options_.memory / 2);
    for (const auto& edge : spec_.edges) {
      reader at(edge.table, open_, options_.on_progress);
      std::vector<std::size_t> slots;
      if (edge.type.source == node.type) slots.push_back(at.want(edge.source));
      if (edge.type.target == node.type) slots.push_back(at.want(edge.target));
      if (slots.empty()) continue;
      while (at.next()) {
        for (const auto slot : slots) keys.add(key_from(at, slot, node.keys).bytes(), 0);
      }
    }
    // Once to count, once to write.
    const auto each = [&](auto&& f) {
      auto sorted = keys.sorted();
      std::string before;
      for (bool first = true; sorted.next(); first = false) {
        if (!first && sorted.key() == before) continue;
        before.assign(sorted.key());
        f(sorted.key());
      }
    };
    std::uint64_t count = 0, bytes = 0;
    each([&](std::string_view key) {
      ++count;
      bytes += key.size();
    });
    auto sorted = keys.sorted();
    std::string before;
    std::uint64_t next_id = 0;
    write_key_dictionary(
        path_of(t), count, bytes, node.keys,
        [&](std::string_view& key, std::uint64_t& id) {
          while (sorted.next()) {
            if (next_id != 0 && sorted.key() == before) continue;
            before.assign(sorted.key());
            key = sorted.key();
            id = next_id++;
            return true;
          }
          return false;
        },
        options_.scratch, options_.memory / 2);
    graph_.notes.push_back("node type " + graph_schema::quoted(node.type) + " has no files; its " +
                           std::to_string(count) +
                           " nodes are the keys that edges name, in ascending order");
    return count;
  }

  /// The ends of an edge type as IDs, in the order of the edges.
  std::pair<std::shared_ptr<scratch_file>, std::shared_ptr<scratch_file>> resolve(std::size_t r) {
    const edge_table& edge = spec_.edges[r];
    const type_id source_type = node_type_of(edge.type.source),
                  target_type = node_type_of(edge.type.target);
    external_sorter<std::uint64_t> sources(options_.scratch, options_.memory / 3),
        targets(options_.scratch, options_.memory / 3);
    {
      reader at(edge.table, open_, options_.on_progress);
      const std::size_t source = at.want(edge.source), target = at.want(edge.target);
      feature_columns features(edge.table, at, options_.scratch);
      while (at.next()) {
        sources.add(key_from(at, source, spec_.nodes[source_type].keys).bytes(), at.rows() - 1);
        targets.add(key_from(at, target, spec_.nodes[target_type].keys).bytes(), at.rows() - 1);
        features.take(at);
      }
      graph_.edge_counts.push_back(at.rows());
      features.give(static_cast<type_id>(r), at.rows(), graph_.edge_features);
    }
    auto from = join(edge, edge.source, sources, source_type);
    auto to = join(edge, edge.target, targets, target_type);
    return {std::move(from), std::move(to)};
  }

  /// Merge sorted keys of edges with a sorted dictionary, and sort what comes out back to the order
  /// of the edges.
  std::shared_ptr<scratch_file> join(const edge_table& edge, const csv_column& column,
                                     external_sorter<std::uint64_t>& keys, type_id type) {
    const node_table& node = spec_.nodes[type];
    external_sorter<std::uint64_t> by_edge(options_.scratch, options_.memory / 3);
    dictionary_cursor known(path_of(type));
    bool more = known.next();
    std::uint64_t missing = 0, first_missing = ~std::uint64_t{0};
    std::string missing_key;
    std::uint64_t done = 0;
    const auto report = [&](const char* what, std::uint64_t n) {
      if (options_.on_progress && n % (1 << 16) == 0)
        options_.on_progress({what, n, keys.size(), "edges"});
    };
    for (auto at = keys.sorted(); at.next();) {
      report("find keys", ++done);
      while (more && known.key() < at.key()) more = known.next();
      if (more && known.key() == at.key()) {
        by_edge.add(number_key(at.value()), known.id());
      } else {
        ++missing;
        if (at.value() < first_missing) {
          first_missing = at.value();
          missing_key = node_key::text(at.key(), node.keys);
        }
      }
    }
    if (missing != 0) {
      raise(errc::not_found,
            (column.name.empty() ? "column " + std::to_string(column.number)
                                 : "column " + graph_schema::quoted(column.name)) +
                " is " + graph_schema::quoted(missing_key) + ", which is no key of node type " +
                graph_schema::quoted(node.type) +
                (missing > 1 ? "; " + std::to_string(missing) +
                                   " edges name keys that its files do not have"
                             : "; its files must have it"),
            place_of(edge.table, column, first_missing));
    }
    auto out = std::make_shared<scratch_file>(options_.scratch);
    done = 0;
    for (auto at = by_edge.sorted(); at.next();) {
      report("order edges", ++done);
      out->append(std::as_bytes(std::span(&at.value(), 1)));
    }
    out->flush();
    return out;
  }

  const tables_spec& spec_;
  const tables_options& options_;
  const Opener& open_;
  streamed_graph graph_{};
};

}  // namespace detail

/// Read a specification of tables; see atop. @errors not_found, malformed, unsupported, exists,
/// invalid_argument: with the key
template <file_opener Opener, json_codec Codec>
tables_spec read_tables_spec(const std::string& path, const Opener& open, const Codec& codec) {
  const json::value root = read_json(path, open, codec);
  return detail::tables_spec_reader(root, path).read();
}

/// Read tables and give their graph as a stream over temporary files. The dictionaries are in
/// options.dictionaries then.
///
/// @errors with file and line: malformed (quotes, numbers, records of another number of fields,
///     empty keys), exists (a key that two nodes have), not_found (a key that no node has; a
///     column); io: the disk is full; memory
/// @complexity one pass over each table, and one more for each node type without files; two sorts
///     of the keys and IDs of each end of the edges. Memory: options.memory, and what `open` takes
///     for one file
template <file_opener Opener>
streamed_graph stream_tables(const tables_spec& spec, const tables_options& options,
                             const Opener& open) {
  return detail::tables_streamer<Opener>(spec, options, open).run();
}

}  // namespace halograph
