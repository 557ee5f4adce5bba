// SPDX-License-Identifier: BSL-1.0
#include "command.hpp"
#include "exports.hpp"
#include "flag_values.hpp"
#include "inputs.hpp"
#include "usage_error.hpp"

#include <halograph/core/error.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/io/write_tables.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/staged_files.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace halograph::cli {

std::optional<std::uint64_t> parts_in_name(const std::string& path) {
  const std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.stem().extension() != ".part") return std::nullopt;
  return whole_number(name.extension().string().substr(1));
}

bool is_folder_format(std::string_view format) noexcept {
  return format == "graphbolt" || format == "parquet" || format == "pyg";
}
const char* words_of_folder_format(std::string_view format) noexcept {
  return format == "pyg"       ? "partition layout of PyTorch Geometric"
         : format == "parquet" ? "set of Parquet tables"
                               : "GraphBolt data set";
}

output_place place_of_output(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string name = file.filename().string();
  if (name.empty() || name == "." || name == "..") throw usage_error("--out must name a file");
  std::error_code unknown;
  if (std::filesystem::symlink_status(file, unknown).type() !=
      std::filesystem::file_type::not_found)
    raise(error_kind::exists, "there is something under this name; name a file that does not exist",
          {.file = path, .line = {}, .byte = {}});
  const std::string folder = file.parent_path().string();
  return {folder.empty() ? "." : folder, name};
}

std::uint64_t export_parts(const output_place& place, std::span<const part_id> owner,
                           function_ref<void()> settle) {
  staged_files staged(place.folder, "convert");
  const std::uint64_t bytes = write_part_file(staged.path() + "/" + place.name, owner);
  staged.add(place.name);
  settle();
  note(staged.commit());
  return bytes;
}

void require_writer_of(std::string_view format) {
  if (format != "parquet" || has_tables()) return;
  raise(error_kind::unsupported,
        "Parquet needs a library that is not built in; build with the component \"duckdb\"");
}

written_arrays export_folder(std::string_view format, const streamed_graph& g,
                             std::span<const part_id> owner, part_id parts, staged_folder& staged,
                             std::uint64_t most_bytes) {
  if (format == "parquet") return write_tables(g, staged, output_tables());
  write_arrays_options options;
  options.most_bytes = most_bytes / 2;
  options.memory = options.most_bytes;
  return format == "pyg" ? write_pyg(g, owner, parts, staged, options)
                         : write_graphbolt(g, staged, options);
}

void refuse_part_feature(const graph_schema& schema, type_id type) {
  raise(error_kind::exists, "nodes of type " + graph_schema::quoted(schema.node_type_name(type)) +
                                " have a feature \"part\", the name under which the part of each "
                                "node is written; rename it");
}

void add_parts_as_feature(streamed_graph& g, std::span<const part_id> owner) {
  require_no_part_feature(g.schema, g.node_features);
  std::size_t first = 0;
  for (std::size_t t = 0; t < g.node_counts.size(); ++t) {
    const auto column = owner.subspan(first, static_cast<std::size_t>(g.node_counts[t]));
    first += column.size();
    g.node_features.push_back(
        {.type = static_cast<type_id>(t),
         .name = std::string(part_feature),
         .element = dtype::int32,
         .rows = column.size(),
         .read = [column](std::uint64_t begin, std::uint64_t end, std::span<std::byte> out) {
           // Parts are below 2^31.
           std::memcpy(out.data(), column.data() + begin,
                       static_cast<std::size_t>(end - begin) * sizeof(part_id));
         }});
  }
}

}  // namespace halograph::cli
