// SPDX-License-Identifier: BSL-1.0
// Binary files: arrays and parts written, parts loaded. The plain rung is the same bytes in one
// piece.
#include "ladder.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/npy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace halograph::bench {

namespace {

using plan_type = partition_plan<narrow_id, narrow_id>;

/// Part 0 of the subject with 1 hop, ready to be written.
struct ready_part {
  plan_type plan;
  part_columns<narrow_id, narrow_id> columns;
  part_column_writer<narrow_id, narrow_id> sections;
  part_description described;

  explicit ready_part(const subject& s)
      : plan(make_partition_plan<narrow_id, narrow_id>(s.g.view(), s.owner, s.parts, {}, s.many)),
        columns(plan),
        sections(columns) {
    columns.expand(0, {.hops = 1});
    described = columns.describe();
    described.part_ids = true;
  }
};

std::uint64_t bytes_of(const part_layout& layout) {
  std::uint64_t out = 0;
  for (const auto& file : layout.files) out += file.bytes;
  return out;
}

/// Bytes of the files of one part's folder.
std::uint64_t folder_bytes(const std::string& path) {
  std::uint64_t out = 0;
  for (const auto& one : std::filesystem::directory_iterator(path)) out += one.file_size();
  return out;
}

loaded_partition load(const std::string& config) {
  return load_partition(config, 0,
                        folder_access(mapped_files{}, nlohmann_codec{}, built_in_formats{}));
}

void write_plain(const std::string& path, std::span<const std::byte> bytes) {
  file_sink sink = file_sink::create(path, bytes.size());
  sink.require(sink.write_at(0, bytes));
  sink.close();
}

template <class Format>
void add_writing(const subject& s, const std::string& name, const Format& format,
                 const lazy<std::unique_ptr<ready_part>>& part) {
  const part_layout layout = format.layout((*part)->described);
  const auto bytes = static_cast<double>(bytes_of(layout));
  const auto edges = static_cast<double>((*part)->described.edges);
  const double in = 12 * edges + 4 * static_cast<double>((*part)->described.nodes);
  add(s, {"write_" + name + "/plain", edges, bytes, bytes},
      [&s, name, content = std::vector<std::byte>(static_cast<std::size_t>(bytes))] {
        write_plain(s.scratch + "/plain." + name, content);
      });
  add(s, {"write_" + name + "/span", edges, in, bytes}, [layout, part] {
    write_part(
        layout, [](const file_layout&) -> any_sink { return null_sink{}; },
        [&](any_sink& sink, const section& where) { return (*part)->sections.write(sink, where); });
  });
  add(s, {"write_" + name + "/full", edges, in, bytes}, [&s, layout, part] {
    write_part(
        layout,
        [&](const file_layout& file) -> any_sink {
          return file_sink::create(s.scratch + "/" + file.name, file.bytes);
        },
        [&](any_sink& sink, const section& where) { return (*part)->sections.write(sink, where); });
  });
}

/// The graph of a part that was written before, read from its mapping; the plain rung copies its
/// bytes.
template <class Format>
void add_reading(const subject& s, const std::string& name, const Format& format,
                 const lazy<std::unique_ptr<ready_part>>& part) {
  const part_layout layout = format.layout((*part)->described);
  const std::string path = s.scratch + "/" + layout.graph_file;
  write_part(
      layout,
      [&](const file_layout& file) -> any_sink {
        return file_sink::create(s.scratch + "/" + file.name, file.bytes);
      },
      [&](any_sink& sink, const section& where) { return (*part)->sections.write(sink, where); });
  const file_bytes content = mapped_files{}(path);
  const auto bytes = static_cast<double>(content.bytes.size());
  const auto edges = static_cast<double>((*part)->described.edges);
  add(s, {"load_" + name + "/plain", edges, bytes, bytes},
      [content, to = std::vector<std::byte>(content.bytes.size())]() mutable {
        std::memcpy(to.data(), content.bytes.data(), to.size());
        keep(*to.data());
      });
  add(s, {"load_" + name + "/span", edges, bytes, 0},
      [format, content, path] { keep(format.read_structure(content, path)); });
}

/// A part loaded by the name of the config, with the book.
void add_loading(const subject& s) {
  const dgl_folder target{s.scratch + "/parts"};
  partition_graph(s.g.view(), given{.parts = s.parts, .owners = s.owner}, target,
                  {.graph_name = "bench", .hops = 1, .measure_quality = false, .executor = s.many});
  const std::string config = target.path + "/bench.json";
  const auto bytes = static_cast<double>(folder_bytes(target.path + "/part0"));
  add(s, {"load_dgl/full", static_cast<double>(load(config).graph.edges), bytes, 0},
      [config] { keep(load(config)); });
}

void add_kernels(const subject& s) {
  const lazy<std::vector<std::int64_t>> column(
      [&s] { return std::vector<std::int64_t>(s.g.edges(), 7); });
  const double bytes = 8 * s.edges();
  add(s, {"write_npy/plain", s.edges(), bytes, bytes},
      [&s, column] { write_plain(s.scratch + "/plain.npy", std::as_bytes(std::span(*column))); });
  const auto write_npy = [&s, column](auto& sink) {
    const auto layout = npy_layout("column.npy", dtype::int64, tensor_shape{s.g.edges()});
    check(write_literals(layout, sink), "header");
    check(write_as(sink, layout.sections.at(0), 0, std::span<const std::int64_t>(*column)),
          "column");
  };
  add(s, {"write_npy/span", s.edges(), bytes, bytes}, [write_npy] {
    null_sink sink;
    write_npy(sink);
    keep(sink);
  });
  add(s, {"write_npy/full", s.edges(), bytes, bytes}, [&s, write_npy] {
    file_sink sink = file_sink::create(
        s.scratch + "/column.npy",
        npy_layout("column.npy", dtype::int64, tensor_shape{s.g.edges()}).bytes);
    write_npy(sink);
    sink.close();
  });
  const lazy<std::unique_ptr<ready_part>> part([&s] { return std::make_unique<ready_part>(s); });
  add_writing(s, "dgl", dgl_serializer{}, part);
  add_writing(s, "native", native_serializer{}, part);
  add_reading(s, "dgl", dgl_serializer{}, part);
  add_reading(s, "native", native_serializer{}, part);
  add_loading(s);
}

const ladder these(add_kernels);

}  // namespace
}  // namespace halograph::bench
