// SPDX-License-Identifier: BSL-1.0
/// @file serial.hpp
/// Minimal sinks, sources, stores, codecs, serializers and tables, and near misses.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/status.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/feature_store.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/table.hpp>
#include <halograph/testing/archetypes/awkward.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::archetype {

/// Models `byte_sink`: writes to the caller's memory, and returns capacity beyond it.
class byte_sink : awkward {
 public:
  explicit byte_sink(std::span<std::byte> out) : awkward(0), out_(out) {}
  status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    if (offset > out_.size() || bytes.size() > out_.size() - offset)
      return status::capacity.at(offset + bytes.size());
    std::copy(bytes.begin(), bytes.end(), out_.begin() + static_cast<std::ptrdiff_t>(offset));
    return status::ok;
  }

 private:
  std::span<std::byte> out_;
};

/// Models `byte_source` but not `memory_source`: its bytes can be read, but not viewed.
class byte_source : awkward {
 public:
  explicit byte_source(std::span<const std::byte> bytes) : awkward(0), source_(bytes) {}
  std::uint64_t size() const { return source_.size(); }
  status read_at(std::uint64_t offset, std::span<std::byte> out) const {
    return source_.read_at(offset, out);
  }

 private:
  span_source source_;
};

/// Models `memory_source`: its bytes can be read and viewed.
class memory_source : public byte_source {
 public:
  explicit memory_source(std::span<const std::byte> bytes) : byte_source(bytes), bytes_(bytes) {}
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

/// Models `feature_store`: row i is the int16 number i, twice.
class feature_store : awkward {
 public:
  explicit feature_store(std::uint64_t rows) : awkward(0), rows_(rows) {}
  dtype type() const { return dtype::int16; }
  std::uint64_t rows() const { return rows_; }
  std::span<const std::uint64_t> row_shape() const { return {&pair_, 1}; }
  template <id Id>
  status gather(std::span<const Id> ids, std::span<std::byte> out) const {
    if (out.size() < ids.size() * 4) return status::capacity.at(ids.size() * 4);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (index(ids[i]) >= rows_) return status::out_of_range.at(i);
      const std::int16_t row[2]{static_cast<std::int16_t>(ids[i]),
                                static_cast<std::int16_t>(ids[i])};
      std::memcpy(out.data() + i * 4, row, 4);
    }
    return status::ok;
  }

 private:
  std::uint64_t rows_;
  static constexpr std::uint64_t pair_ = 2;
};

/// Models `file_opener`: every file holds the same bytes of the caller, or what a function opens.
class file_opener : awkward {
 public:
  explicit file_opener(std::span<const std::byte> content)
      : awkward(0), open_([content](const std::string&) { return file_bytes{content, {}}; }) {}
  explicit file_opener(std::function<file_bytes(const std::string&)> open)
      : awkward(0), open_(std::move(open)) {}
  file_bytes operator()(const std::string& path) const { return open_(path); }

 private:
  std::function<file_bytes(const std::string&)> open_;
};

/// Models `json_codec`: parses with a function, or accepts the document null only.
class json_codec : awkward {
 public:
  using parser = std::function<status(std::string_view, json::value&)>;
  explicit json_codec(int)
      : json_codec([](std::string_view text, json::value& out) {
          out = json::value{};
          return text == "null" ? status::ok : status::malformed.at(0);
        }) {}
  explicit json_codec(parser parse) : awkward(0), parse_(std::move(parse)) {}
  status parse(std::string_view text, json::value& out) const { return parse_(text, out); }

 private:
  parser parse_;
};

/// Models `serializer`: the native format under another name.
struct serializer : awkward {
  using awkward::awkward;
  std::string_view name() const { return "archetype"; }
  part_layout layout(const part_description& plan) const {
    return native_serializer{}.layout(plan);
  }
  loaded_structure read_structure(const file_bytes& bytes, const std::string& file) const {
    return native_serializer{}.read_structure(bytes, file);
  }
  std::vector<named_tensor> read_features(const file_bytes& bytes, const std::string& file) const {
    return native_serializer{}.read_features(bytes, file);
  }
};

/// Models `table_reader` and `table_writer`: tables in memory, two rows at a time.
class tables : awkward {
 public:
  struct table {
    table_info info{};
    std::vector<std::vector<std::byte>> columns{};  ///< [columns] values of all rows
  };
  using all_tables = std::map<std::string, table>;
  explicit tables(all_tables& all) : awkward(0), all_(&all) {}

  table_info examine(const std::string& path) const { return found(path).info; }
  template <class Sink>
  void read(const std::string& path, const table_info& info, std::uint64_t first,
            std::uint64_t last, Sink&& sink) const {
    const table& from = found(path);
    for (; first < last; first += 2) {
      const std::uint64_t rows = std::min<std::uint64_t>(2, last - first);
      std::vector<table_values> values;
      for (std::size_t c = 0; c < from.columns.size(); ++c) {
        // The caller may have erased columns.
        if (values.size() == info.columns.size() ||
            info.columns[values.size()].name != from.info.columns[c].name)
          continue;
        const std::size_t width = row_bytes(from.info.columns[c]);
        values.push_back(
            {from.info.columns[c].type, std::span<const std::byte>(from.columns[c])
                                            .subspan(static_cast<std::size_t>(first) * width,
                                                     static_cast<std::size_t>(rows) * width)});
      }
      sink(first, rows, std::span<const table_values>(values));
    }
  }
  template <class Source>
  void write(const std::string& path, std::span<const table_column> columns,
             const std::optional<std::string>& shape, std::uint64_t rows, Source&& source) const {
    table made{{rows, {columns.begin(), columns.end()}, {rows}, shape}, {}};
    for (const auto& column : columns)
      made.columns.emplace_back(static_cast<std::size_t>(rows) * row_bytes(column));
    for (std::uint64_t first = 0; first < rows; first += 2) {
      const std::uint64_t count = std::min<std::uint64_t>(2, rows - first);
      std::vector<std::span<std::byte>> out;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::size_t width = row_bytes(columns[c]);
        out.push_back(std::span<std::byte>(made.columns[c])
                          .subspan(static_cast<std::size_t>(first) * width,
                                   static_cast<std::size_t>(count) * width));
      }
      source(first, count, std::span<const std::span<std::byte>>(out));
    }
    (*all_)[path] = std::move(made);
  }

 private:
  static std::size_t row_bytes(const table_column& column) {
    return static_cast<std::size_t>(column.width) * item_bytes(column.type);
  }
  const table& found(const std::string& path) const {
    const auto one = all_->find(path);
    if (one == all_->end()) raise(error_kind::not_found, "there is no such table", {path, {}, {}});
    return one->second;
  }
  all_tables* all_;
};

}  // namespace halograph::archetype

namespace halograph::near_miss {

/// write_at() returns bool, not status.
struct byte_sink_of_bool {
  bool write_at(std::uint64_t, std::span<const std::byte>) { return true; }
};
/// Has no size().
struct byte_source_without_size {
  status read_at(std::uint64_t, std::span<std::byte>) const { return status::ok; }
};
/// read_at() is not const.
struct byte_source_not_const {
  std::uint64_t size() const { return 0; }
  status read_at(std::uint64_t, std::span<std::byte>) { return status::ok; }
};

/// Has no bytes().
struct memory_source_without_bytes {
  std::uint64_t size() const { return 0; }
  status read_at(std::uint64_t, std::span<std::byte>) const { return status::ok; }
};
/// Has no read_at().
struct memory_source_without_read {
  std::uint64_t size() const { return 0; }
  std::span<const std::byte> bytes() const { return {}; }
};

/// Has no row_shape().
struct feature_store_without_shape {
  dtype type() const { return dtype::int8; }
  std::uint64_t rows() const { return 0; }
  status gather(std::span<const std::uint64_t>, std::span<std::byte>) const { return status::ok; }
};
/// Has no gather().
struct feature_store_without_gather {
  dtype type() const { return dtype::int8; }
  std::uint64_t rows() const { return 0; }
  std::span<const std::uint64_t> row_shape() const { return {}; }
};

/// Returns a span that nothing keeps alive.
struct file_opener_of_span {
  std::span<const std::byte> operator()(const std::string&) const { return {}; }
};

/// Returns the document instead of a status.
struct json_codec_by_value {
  json::value parse(std::string_view) const { return {}; }
};

/// Serializers that lack one function each.
struct serializer_without_name {
  part_layout layout(const part_description&) const { return {}; }
  loaded_structure read_structure(const file_bytes&, const std::string&) const { return {}; }
  std::vector<named_tensor> read_features(const file_bytes&, const std::string&) const {
    return {};
  }
};
struct serializer_without_layout {
  std::string_view name() const { return {}; }
  loaded_structure read_structure(const file_bytes&, const std::string&) const { return {}; }
  std::vector<named_tensor> read_features(const file_bytes&, const std::string&) const {
    return {};
  }
};
struct serializer_without_structure {
  std::string_view name() const { return {}; }
  part_layout layout(const part_description&) const { return {}; }
  std::vector<named_tensor> read_features(const file_bytes&, const std::string&) const {
    return {};
  }
};
struct serializer_without_features {
  std::string_view name() const { return {}; }
  part_layout layout(const part_description&) const { return {}; }
  loaded_structure read_structure(const file_bytes&, const std::string&) const { return {}; }
};

/// Has no examine().
struct table_reader_without_examine {
  template <class Sink>
  void read(const std::string&, const table_info&, std::uint64_t, std::uint64_t, Sink&&) const {}
};
/// Has no read().
struct table_reader_without_read {
  table_info examine(const std::string&) const { return {}; }
};
/// write() takes no shape.
struct table_writer_without_shape {
  template <class Source>
  void write(const std::string&, std::span<const table_column>, std::uint64_t, Source&&) const {}
};

}  // namespace halograph::near_miss
