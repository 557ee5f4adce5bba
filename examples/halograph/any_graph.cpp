// SPDX-License-Identifier: BSL-1.0
#include "any_graph.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "progress.hpp"

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/io/chunked/edges.hpp>
#include <halograph/io/open_stream.hpp>
#include <halograph/serial/text/readable.hpp>

#include <algorithm>
#include <limits>

namespace halograph::cli {

namespace {

/// @param memory_bytes  out: that copying takes
chunked_copy copy_of(const std::string& path, const std::string& target,
                     const any_graph_options& options, std::size_t threads,
                     std::uint64_t& memory_bytes) {
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t memory = options.memory_bytes != 0 ? options.memory_bytes
                               : options.ignore_room     ? all
                                                         : available_memory();
  copy_options how;
  how.reading.features = options.features;
  how.reading.undirected = options.reading.undirected;
  how.reading.num_nodes = options.reading.num_nodes;
  how.reading.most_bytes = memory == all ? all : memory - std::min(memory, copy_block_bytes);
  how.reading.memory = std::min(how.reading.memory, memory);
  how.reading.on_progress = how.on_progress = show_progress();
  how.reading.yaml = yaml_codec();
  how.resume = options.resume;
  how.on_need = [&](const opened_stream& input, std::uint64_t bytes) {
    memory_bytes = copy_block_bytes + input.held_bytes;
    if (!options.json) {
      note(path + " (" + input.format + ") is copied as a chunked graph beside " + target +
           " first, with up to " + readable::bytes(bytes) + " of disk and " +
           readable::bytes(memory_bytes) + " of memory; the copy is removed at the end");
    }
    if (const auto free = available_disk(target); bytes > free && !options.ignore_room) {
      raise(error_kind::io,
            "the chunked copy of the input takes up to " + readable::bytes(bytes) +
                " of disk, but only " + readable::bytes(free) +
                " are free; choose another place for the result",
            {.file = target, .line = {}, .byte = {}});
    }
  };
  return step("open", [&] {
    return copy_chunked(
        path, target, how, [](const std::string& folder) { return files_with_scratch(folder); },
        json_codec(), known_formats(), input_tables(), make_threads(threads));
  });
}

}  // namespace

void bind_reading_flags(flag_set& app, reading_flags& flags) {
  add_number(app, "--num-nodes", flags.num_nodes,
             "edge lists: number of nodes (default: the largest ID plus one)", 0, most_file_ids);
  app.add_flag("--undirected", flags.undirected,
               "edge lists, folders with meta.json: append the reverse of edge i as edge m + i");
}

void describe(const reading_flags& flags, json::value& out) {
  if (flags.num_nodes) out.set("num_nodes", *flags.num_nodes);
  if (flags.undirected) out.set("undirected", true);
}

json::value any_graph::describe_copy() const {
  if (!copy) return {};
  return json::object{{"of", copy->format()}, {"bytes", copy->bytes()}};
}

std::uint64_t undirected_entries(const chunked_graph& graph, std::size_t threads,
                                 communicator_ref ranks) {
  std::uint64_t found = 0;
  run_collective(ranks, [&] {
    if (ranks.rank() != 0) return;
    found = step("open", [&] {
      const executor_ref run = make_threads(threads);
      return graph.num_nodes() <= id_capacity<std::uint32_t>() &&
                     graph.num_edges() <= id_capacity<std::uint32_t>()
                 ? most_undirected_entries(chunked_edges<std::uint32_t>(graph), run)
                 : most_undirected_entries(chunked_edges<std::uint64_t>(graph), run);
    });
  });
  return all_reduce_max(ranks, found);
}

void require_assignment(const std::string& path) {
  if (is_folder(path) || is_file(path)) return;
  raise(
      error_kind::not_found,
      "there is no assignment under this name; it must be a folder with a file <node type>.txt for each node type, or of one node type a text file, a part a line",
      {.file = path, .line = {}, .byte = {}});
}

any_graph open_any_graph(const std::string& path, const std::string& target,
                         const any_graph_options& options, std::size_t threads,
                         communicator_ref ranks) {
  any_graph out;
  run_collective(ranks, [&] {
    const any_json_codec codec = json_codec();
    std::string place;
    if (ranks.rank() == 0 || options.own_folders) {
      if (recognize_input(path, input_files(), codec).format == input_format::chunked) {
        check_input_options(input_format::chunked, options.reading.num_nodes.has_value(),
                            options.reading.undirected, path);
        if (!options.resume) remove_chunked_copy(target, path);
      } else {
        out.parents = missing_parents(target);
        out.copy.emplace(copy_of(path, target, options, threads, out.copy_memory_bytes));
        inputs_of_this_run()->settle();  // nothing reads the input from here on
        place = out.copy->path();
        for (const auto& sentence : out.copy->notes()) note(sentence);
      }
    }
    if (!options.own_folders) broadcast_text(ranks, place, 0);
    if (!place.empty()) {
      out.place.reset(new std::string(place));
      inputs_of_this_run()->allow_own(place);
    }
    out.graph = step("open", [&] {
      const uncounted_bytes headers;
      return open_chunked(place.empty() ? path : place, input_files(), codec, input_tables(),
                          {.features = options.features}, make_threads(threads));
    });
  });
  return out;
}

}  // namespace halograph::cli
