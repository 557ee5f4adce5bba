// SPDX-License-Identifier: BSL-1.0
/// @file sample_neighbors.ipp
/// Bodies of the plain functions of dist/sample_neighbors.hpp.
/// Layer: dist. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/comm/owner_fetch.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/dist/block.hpp>
#include <halograph/dist/dist_graph.hpp>
#include <halograph/dist/dist_state.hpp>
#include <halograph/dist/draw_exchange.hpp>
#include <halograph/dist/part_graph.hpp>
#include <halograph/dist/part_sampler.hpp>
#include <halograph/dist/sample_neighbors.hpp>
#include <halograph/folder/original_ids.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/half.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph {

HALOGRAPH_INLINE neighbor_sampler::neighbor_sampler(const dist_graph& g,
                                                    const any_file_opener& files,
                                                    const format_list& formats,
                                                    const sampler_options& options)
    : exchange_(g.ranks(), g.options().exchange_bytes) {
  run_collective(g.ranks(), [&] {
    graph_ = std::make_shared<dist_graph>(g);
    const bool in = options.direction == edge_direction::in;
    if (!(in ? g.options().part.in_edges : g.options().part.out_edges)) {
      raise(error_kind::invalid_argument,
            concat({"the graph was opened without its ", (in ? "in" : "out"),
                    "-edges; request them in part_options"}));
    }
    if (!in && !g.has_all_out_edges()) {
      raise(
          error_kind::unsupported,
          "parts of this folder do not hold all out-edges of their nodes; sample in-edges, or partition again with the closing step of the HALO",
          {.file = g.config().path});
    }
    auto keys = read_keys(files, formats, in && g.config().halo_hops < 2);
    for (std::size_t i = 0; i < g.parts().size(); ++i) {
      samplers_.emplace_back(g.parts()[i], options.direction,
                             keys.empty() ? std::vector<std::uint64_t>() : std::move(keys[i]));
    }
    if (!options.weight.empty()) weigh(options.weight);
    counters_.resize(std::max<std::size_t>(1, samplers_.size()) * g.schema().num_node_types());
  });
}

HALOGRAPH_INLINE void neighbor_sampler::check(std::span<const global_id> nodes,
                                              const sample_options& options) const {
  const std::size_t types = graph_->schema().num_edge_types();
  if (options.fanout.size() != 1 && options.fanout.size() != types) {
    raise(error_kind::invalid_argument,
          concat({"there are ", options.fanout.size(), " fan-outs for ", types,
                  " edge types; give one for all, or one for each"}));
  }
  const std::uint64_t end = graph_->num_nodes();
  for (const global_id v : nodes) {
    if (static_cast<std::uint64_t>(v) >= end) {
      raise(error_kind::out_of_range,
            concat({"global node ID ", v, " is not in the valid range [0, ", end, ")"}));
    }
  }
}

HALOGRAPH_INLINE sampled_edges neighbor_sampler::sample(std::span<const global_id> nodes,
                                                        const sample_options& options,
                                                        std::size_t asking) {
  sampled_edges out{{}, {}, {}, {}};
  run_collective(graph_->ranks(), [&] {
    check(nodes, options);
    if (asking >= std::max<std::size_t>(1, samplers_.size())) {
      raise(error_kind::out_of_range,
            concat({"part ", asking, " of this rank does not exist; the number of its parts is ",
                    samplers_.size()}));
    }
    out.seeds.assign(nodes.begin(), nodes.end());
    out.offsets.reserve(nodes.size() + 1);
    out.offsets.push_back(0);
    const auto take = [&](global_id neighbor, global_id edge) {
      out.neighbors.push_back(neighbor);
      out.edges.push_back(edge);
    };
    const auto end_row = [&](global_id v, source from, std::uint64_t drawn, bool over_ranks) {
      typed_id<global_id> typed{};
      static_cast<void>(graph_->book().nodes().to_typed(v, typed));
      auto& counted = counters_[asking * graph_->schema().num_node_types() + typed.type];
      count(counted, from, drawn);
      if (over_ranks) ++counted.other_ranks;
      out.offsets.push_back(out.edges.size());
    };
    // Rows of this rank, up to the first one of another.
    std::size_t row = 0;
    const auto draw_here = [&] {
      for (; row < nodes.size(); ++row) {
        const place at = locate(nodes[row], asking);
        if (at.sampler == nullptr) return;
        end_row(nodes[row], at.from, at.sampler->draw(at.local, options, scratch_, take), false);
      }
    };
    if (graph_->ranks().size() > 1) {
      check_same(options);
      std::size_t ahead = 0;
      ask_owners(
          options, false,
          [&](std::size_t& rank, draw_request& request) {
            for (; ahead < nodes.size(); ++ahead) {
              if (locate(nodes[ahead], asking).sampler != nullptr) continue;
              request.node = nodes[ahead++];
              rank = graph_->rank_of_node(request.node);
              return true;
            }
            return false;
          },
          [&](std::span<const global_id> ends) {
            draw_here();
            for (std::size_t k = 0; k < ends.size(); k += 2) take(ends[k], ends[k + 1]);
            end_row(nodes[row++], source::other_part, ends.size() / 2, true);
          });
    }
    draw_here();
  });
  return out;
}

HALOGRAPH_INLINE void neighbor_sampler::check_same(const sample_options& options) const {
  std::vector<std::uint64_t> words(options.fanout);
  words.push_back(options.replace ? 1 : 0);
  words.push_back(options.seed);
  require_same(graph_->ranks(), digest_of(std::as_bytes(std::span(words))),
               "samples with other options than",
               "fan-outs, replacement and seed must be the same on all ranks");
}

HALOGRAPH_INLINE std::vector<std::vector<std::uint64_t>> neighbor_sampler::read_keys(
    const any_file_opener& files, const format_list& formats, bool inner_alone) {
  const auto& g = *graph_;
  const std::size_t types = g.schema().num_node_types();
  std::vector<std::vector<std::uint64_t>> keys(g.parts().size());
  bool whole = true;  // nodes of other parts need not be asked for
  bool there = true;
  for (std::size_t i = 0; i < g.parts().size() && there; ++i) {
    const part_graph& part = g.parts()[i];
    auto& ids = keys[i];
    const std::size_t wanted = inner_alone ? part.num_inner_nodes() : part.num_nodes();
    ids.reserve(wanted);
    if (const tensor* const column = part.original_nodes()) {
      if (column->rank() != 1 || !is_integer(column->type()) ||
          column->rows() != part.num_nodes()) {
        raise(
            error_kind::mismatch,
            concat({"the column \"orig_id\" has shape ", to_string(column->shape()), " and dtype ",
                    name(column->type()), "; it must be ", part.num_nodes(), " integers"}),
            {.file = part.file()});
      }
      for (std::size_t v = 0; v < wanted; ++v)
        ids.push_back(static_cast<std::uint64_t>(column->integer(v)));
      continue;
    }
    whole = whole && inner_alone;
    const auto number = static_cast<std::size_t>(part.part());
    try {
      for (std::size_t t = 0; t < types; ++t) {
        const auto some = load_original_ids(
            g.config(), number, {entity::node, static_cast<type_id>(t)}, files, formats);
        ids.insert(ids.end(), some.begin(), some.end());
      }
    } catch (const error& problem) {
      // A file that the config names must exist; otherwise no mapping was saved.
      if (problem.code() != error_kind::not_found ||
          !g.config().parts[number].original_nodes.empty())
        throw;
      there = false;
    }
    if (there && ids.size() != part.num_inner_nodes())
      raise(error_kind::mismatch,
            concat({"there are ", ids.size(), " original IDs for ", part.num_inner_nodes(),
                    " inner nodes"}),
            {.file = part.file()});
  }
  std::array<std::uint64_t, 2> missing{there ? 0u : 1u, whole ? 0u : 1u};
  check_peers(g.ranks());
  check_ranks(g.ranks().sum(missing));
  if (missing[0] != 0) return {};
  knows_original_ids_ = true;
  if (missing[1] == 0) return keys;

  // HALO nodes' from their owners.
  std::size_t others = 0;
  for (std::size_t i = 0; i < g.parts().size(); ++i)
    others += g.parts()[i].num_nodes() - keys[i].size();
  std::vector<std::uint64_t> ids;
  ids.reserve(others);
  for (std::size_t i = 0; i < g.parts().size(); ++i) {
    const part_graph& part = g.parts()[i];
    for (std::size_t v = keys[i].size(); v < part.num_nodes(); ++v)
      ids.push_back(static_cast<std::uint64_t>(part.global_of(v)));
  }
  std::vector<std::uint64_t> found(ids.size());
  const auto rank = [&](std::uint64_t id) { return g.rank_of_node(static_cast<global_id>(id)); };
  const auto serve = [&](std::uint64_t id, std::span<std::byte> row) {
    const auto owner = static_cast<std::size_t>(g.part_of_node(static_cast<global_id>(id)) -
                                                g.part_range().begin);
    std::memcpy(row.data(),
                &keys[owner][static_cast<std::size_t>(id - g.parts()[owner].inner_nodes().begin)],
                8);
  };
  row_exchange exchange(g.ranks(), g.options().exchange_bytes);
  exchange.fetch(ids, 8, rank, serve, std::as_writable_bytes(std::span(found)));
  std::size_t at = 0;
  for (std::size_t i = 0; i < g.parts().size(); ++i) {
    while (keys[i].size() < g.parts()[i].num_nodes()) keys[i].push_back(found[at++]);
  }
  return keys;
}

HALOGRAPH_INLINE void neighbor_sampler::weigh(const std::string& weight) {
  const auto& g = *graph_;
  std::vector<type_id> having;
  std::optional<dtype> item;
  for (std::size_t r = 0; r < g.schema().num_edge_types(); ++r) {
    const auto type = static_cast<type_id>(r);
    const auto names = g.edges(type).names();
    // Files may hold anything for a type without edges.
    if (g.edges(type).size() == 0 || std::find(names.begin(), names.end(), weight) == names.end())
      continue;
    const auto rows = g.edges(type).data(weight);
    const std::string who = "edge feature " +
                            graph_schema::quoted(
                                concat({g.schema().edge_type_name(type).str(), "/", weight}));
    if (element_count(rows.row_shape()) != 1) {
      raise(error_kind::mismatch,
            concat({who, " has rows of shape ", to_string(rows.row_shape()),
                    "; a weight must be one number for each edge"}),
            {.file = g.config().path});
    }
    if (item && *item != rows.type()) {
      raise(error_kind::mismatch,
            concat({who, " is of dtype ", name(rows.type()), ", that of another edge type is ",
                    name(*item), "; a weight must have one dtype for all edge types"}),
            {.file = g.config().path});
    }
    item = rows.type();
    having.push_back(type);
    for (const auto& part : g.parts()) check_weights(rows.of_part(part.part()), part, type, who);
  }
  if (having.empty()) {
    raise(error_kind::not_found,
          concat({"no edge type has a feature ", graph_schema::quoted(weight),
                  " to draw by; attach it first, or open the graph with features"}),
          {.file = g.config().path});
  }
  const std::size_t width = item_bytes(*item);
  std::vector<std::shared_ptr<std::vector<std::byte>>> columns;
  for (const auto& part : g.parts())
    columns.push_back(std::make_shared<std::vector<std::byte>>(ones(*item, part.num_edges())));
  for (const type_id type : having) {
    const auto rows = g.edges(type).data(weight);
    std::vector<global_id> wanted;  // edges of other parts
    for (const auto& part : g.parts()) {
      for (std::size_t e = part.num_inner_edges(); e < part.num_edges(); ++e) {
        if (part.edge_type(e) == type) wanted.push_back(typed_edge(part.global_edge_of(e)));
      }
    }
    std::vector<std::byte> got(wanted.size() * width);
    rows.gather(wanted, got);
    std::size_t at = 0;
    for (std::size_t i = 0; i < g.parts().size(); ++i) {
      const auto& part = g.parts()[i];
      const auto cell = g.book().edges().cell(part.part(), type);
      const auto mine = rows.of_part(part.part()).bytes();
      if (cell.size() != 0)
        std::memcpy(columns[i]->data() + (cell.begin - part.inner_edges().begin) * width,
                    mine.data(), static_cast<std::size_t>(cell.size()) * width);
      for (std::size_t e = part.num_inner_edges(); e < part.num_edges(); ++e) {
        if (part.edge_type(e) == type)
          std::memcpy(columns[i]->data() + e * width, got.data() + width * at++, width);
      }
    }
  }
  for (std::size_t i = 0; i < samplers_.size(); ++i) {
    const std::span<const std::byte> view(*columns[i]);
    samplers_[i].weigh(tensor(*item, {g.parts()[i].num_edges()}, view, columns[i]));
  }
}

HALOGRAPH_INLINE void neighbor_sampler::check_weights(const tensor& rows, const part_graph& part,
                                                      type_id type, const std::string& who) const {
  const auto cell = graph_->book().edges().cell(part.part(), type);
  for (std::uint64_t i = 0; i < cell.size(); ++i) {
    const double weight = detail::weight_at(rows, static_cast<std::size_t>(i));
    if (weight >= 0 && weight <= std::numeric_limits<double>::max()) continue;
    raise(
        error_kind::malformed,
        concat({"row ", i, " of ", who, " in part ", part.part(), ", edge ", cell.begin + i,
                ", is negative, infinite or not a number; weights must be finite and at least 0"}),
        {.file = graph_->config().resolve(graph_->config().parts[part.part()].edge_features)});
  }
}

HALOGRAPH_INLINE std::vector<std::byte> neighbor_sampler::ones(dtype item, std::size_t count) {
  const auto fill = [&](auto one) {
    std::vector<std::byte> out(count * sizeof one);
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(out.data() + i * sizeof one, &one, sizeof one);
    return out;
  };
  if (item == dtype::float64) return fill(1.0);
  if (item == dtype::float32) return fill(1.0f);
  if (item == dtype::float16) return fill(half_from_double(1));
  if (item == dtype::bfloat16) return fill(std::uint16_t{0x3F80});
  switch (item_bytes(item)) {
    case 1:
      return fill(std::uint8_t{1});
    case 2:
      return fill(std::uint16_t{1});
    case 4:
      return fill(std::uint32_t{1});
    default:
      return fill(std::uint64_t{1});
  }
}

HALOGRAPH_INLINE sampled_edges sample_neighbors(neighbor_sampler& sampler, any_id_row nodes,
                                                const sample_options& options, std::size_t asking) {
  sampled_edges out{{}, {}, {}, {}};
  run_collective(sampler.graph().ranks(), [&] {
    std::vector<global_id> wide(nodes.size());
    nodes.convert(0, wide);
    out = sampler.sample(wide, options, asking);
  });
  return out;
}

HALOGRAPH_INLINE sampled_edges in_subgraph(neighbor_sampler& sampler, any_id_row nodes,
                                           std::size_t asking) {
  sampled_edges out{{}, {}, {}, {}};
  run_collective(sampler.graph().ranks(), [&] {
    out = sample_neighbors(sampler, nodes, {.fanout = {all_neighbors}}, asking);
  });
  return out;
}

}  // namespace halograph
