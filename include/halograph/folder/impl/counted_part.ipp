// SPDX-License-Identifier: BSL-1.0
/// @file counted_part.ipp
/// A part of a folder, opened to be counted for a report.
/// Layer: folder. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/folder/access.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

namespace halograph::detail {

/// A part's nodes and the ends of its edges, checked against the config.
class counted_part {
 public:
  counted_part(const partition_config& config, std::size_t p, const folder_access& access)
      : config_(config),
        file_(config.resolve(config.parts[p].graph)),
        graph_(load_partition_graph(config, p, access.files, access.formats)) {
    if (const auto fault = check_structure(graph_))
      fail(error_kind::malformed, concat({"element ", fault->element, ": ", fault->sentence}));
    if (graph_.nodes > config_.num_nodes)
      fail(error_kind::malformed,
           concat({"the part has ", graph_.nodes, " nodes, but the whole graph has only ",
                   config_.num_nodes}));
    if (graph_.nodes >= unseen)
      fail(error_kind::unsupported,
           concat({"the part has ", graph_.nodes, " nodes; a report supports at most 4294967294"}));
    ids_ = &column("_ID");
    inner_ = &column("inner_node");
    if (!graph_.coo) {
      made_ = graph_.csc ? pairs_of(*graph_.csc, false) : pairs_of(*graph_.csr, true);
      made_bytes_ = made_.source.bytes().size();
    }
  }

  counted_part(const counted_part&) = delete;  // it points into itself
  counted_part& operator=(const counted_part&) = delete;

  std::size_t nodes() const noexcept { return static_cast<std::size_t>(graph_.nodes); }
  std::uint64_t edges() const noexcept { return graph_.edges; }
  const tensor& ids() const noexcept { return *ids_; }
  const tensor& inner() const noexcept { return *inner_; }
  /// Of the ends of edges, where they are in no file.
  std::uint64_t made_bytes() const noexcept { return made_bytes_; }
  /// f(source, target) for each edge, by local IDs.
  template <class F>
  void for_each_edge(const F& f) const {
    const coo_columns& ends = graph_.coo ? *graph_.coo : made_;
    const std::uint64_t edges = graph_.edges;
    with_integers(ends.source, [&](auto source) {
      with_integers(ends.target, [&](auto target) {
        for (std::uint64_t e = 0; e < edges; ++e)
          f(static_cast<std::size_t>(source(e)), static_cast<std::size_t>(target(e)));
      });
    });
  }
  [[noreturn]] void fail(error_kind code, const std::string& sentence) const {
    raise(code, sentence, {.file = file_});
  }

  static constexpr std::uint32_t unseen = static_cast<std::uint32_t>(-1);

 private:
  const tensor& column(const char* called) const {
    const tensor* found = find_column(graph_.node_columns, called);
    if (!found || found->rank() != 1 || found->rows() != graph_.nodes || !is_integer(found->type()))
      fail(error_kind::malformed, concat({"the column \"", called, "\" is missing or not one of ",
                                          graph_.nodes, " integers"}));
    return *found;
  }

  const partition_config& config_;
  std::string file_;
  loaded_structure graph_;
  coo_columns made_{};
  std::uint64_t made_bytes_ = 0;
  const tensor *ids_ = nullptr, *inner_ = nullptr;
};

/// f(v, global ID, owner, inner?) for each node of part p.
/// @errors out_of_range, malformed: the part contradicts the config
template <class F>
void for_each_node(const partition_config& config, std::size_t p, const counted_part& part,
                   const any_partition_book& books, const F& f) {
  const auto visit = [&](const auto& book, auto id, auto is_inner) {
    for (std::size_t v = 0; v < part.nodes(); ++v) {
      const std::int64_t value = id(v);
      if (value < 0 || static_cast<std::uint64_t>(value) >= config.num_nodes) {
        part.fail(error_kind::out_of_range,
                  concat({"node ", v, " has _ID ", value, "; there are ", config.num_nodes}));
      }
      const auto global = static_cast<std::uint64_t>(value);
      const bool inner = is_inner(v) != 0;
      const auto owner = static_cast<std::uint32_t>(book.nid2partid(global));
      if ((owner == p) != inner) {
        part.fail(error_kind::malformed,
                  concat({"node ", v, " (_ID ", global, ") is ", (inner ? "inner" : "not inner"),
                          " here, but belongs to part ", owner}));
      }
      f(v, global, owner, inner);
    }
  };
  std::visit(
      [&](const auto& book) {
        with_integers(part.ids(), [&](auto id) {
          with_integers(part.inner(), [&](auto is_inner) { visit(book, id, is_inner); });
        });
      },
      books);
}

}  // namespace halograph::detail
