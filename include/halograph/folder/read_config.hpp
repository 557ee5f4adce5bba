// SPDX-License-Identifier: BSL-1.0
/// @file read_config.hpp
/// Reading the config JSON of a partition folder, in all its versions: config.hpp has the keys.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/read_json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Reads one config; every refusal names the file and the key.
class config_reader {
 public:
  config_reader(const json::value& root, std::string path) : root_(root) {
    config_.path = std::move(path);
  }

  partition_config read();

 private:
  [[noreturn]] void fail(error_kind code, const std::string& message) const {
    raise(code, message, {config_.path, {}, {}});
  }

  const json::value& at(std::string_view key) const;
  std::string string_at(std::string_view key) const {
    const auto* text = at(key).if_string();
    if (!text) fail(error_kind::malformed, graph_schema::quoted(key) + " must be a string");
    return *text;
  }
  std::uint64_t count_at(std::string_view key) const;
  void read_dtype(const char* key, std::string& out) const;

  /// Names by type number, from {name: number}. Numbers must be 0..n-1, each once.
  std::vector<std::string> names_by_number(const char* key, const json::value& table,
                                           std::vector<type_id>& listed) const;

  void read_types();

  /// The ranges of one type: pairs, or the old form, the ends alone.
  std::vector<id_range> ranges(const char* key, std::string_view type,
                               const json::value& list) const;

  std::vector<std::vector<id_range>> map(const char* key, const std::vector<std::string>& names,
                                         const std::string& homogeneous, std::string& file) const;

  void read_maps();

  void read_parts();

  const json::value& root_;
  partition_config config_{};
};

}  // namespace detail

/// Interpret a parsed config. @param path of the file, for messages and for relative paths in it
/// @errors not_found, malformed, unsupported, out_of_range, naming the file and the key
inline partition_config config_from_json(const json::value& root, std::string path) {
  return detail::config_reader(root, std::move(path)).read();
}

/// Read the config of a partition folder. @errors as read_json and config_from_json
inline partition_config read_config(const std::string& path, const any_file_opener& files,
                                    const any_json_codec& codec) {
  return config_from_json(read_json(path, files, codec), path);
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/folder/impl/read_config.ipp>
#endif
