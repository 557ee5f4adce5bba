// SPDX-License-Identifier: BSL-1.0
// A graph is partitioned on a microcontroller: all memory is one object, nothing allocates, throws
// or recurses, and every line printed is the one that a server prints.
//
//   cut_on_chip.cpp   this: independent of the machine, needs one function, say()
//   host.cpp          say() and main() of a desktop; the test's Cortex-M has its own
#include "embedded/cut_on_chip.hpp"

#include <halograph/embedded/fixed.hpp>
#include <halograph/graph/generators.hpp>
#include <halograph/partition/chained.hpp>
#include <halograph/partition/fennel.hpp>
#include <halograph/partition/given.hpp>
#include <halograph/partition/hash.hpp>
#include <halograph/partition/ldg.hpp>
#include <halograph/partition/quality.hpp>
#include <halograph/partition/random.hpp>
#include <halograph/partition/range.hpp>
#include <halograph/partition/refine.hpp>
#include <halograph/relabel/order.hpp>
#include <halograph/serial/digest.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hg = halograph;

namespace {

/// A line of text with its own memory.
class line {
 public:
  line& operator<<(const char* text) {
    while (*text != '\0' && length_ + 1 < text_.size()) text_[length_++] = *text++;
    return *this;
  }
  line& operator<<(std::uint64_t number) {
    for (int shift = 60; shift >= 0; shift -= 4)
      *this << std::array<char, 2>{"0123456789abcdef"[number >> shift & 15], '\0'}.data();
    return *this;
  }
  void say() const { ::say(text_.data()); }

 private:
  std::array<char, 96> text_{};
  std::size_t length_ = 0;
};

// Called for errors, which are also returned. A product might reset.
struct tell_failure {
  void operator()(hg::status problem, const char* step) const {
    (line() << "FAILED " << step << ": " << hg::name(problem.code).data()).say();
  }
};

// The largest graph below, and what is made of it. IDs have the width that these numbers need: 8
// and 16 bits. Streaming policies and orders need scratch memory; the compiler asks them how much.
using part = std::uint8_t;
constexpr hg::basic_ldg<part> ldg{.parts = 4};
constexpr hg::basic_fennel<part> fennel{.parts = 4, .order = hg::stream_order::shuffled, .seed = 1};
constexpr hg::chained<hg::basic_ldg<part>, hg::basic_label_propagation<part>> refined{.parts = 4};
constexpr hg::fixed_limits graphs{
    .nodes = 128, .edges = 512, .parts = 4, .node_types = 3, .edge_types = 3};
constexpr hg::fixed_limits limits = graphs.with_scratch_words(
    hg::fixed_scratch_size<graphs>(fennel, refined, hg::descending_degree{}));
using job_type = hg::fixed_partitioning<limits, std::uint8_t, std::uint16_t, part, tell_failure>;
constinit job_type job;
static_assert(sizeof job < 16 * 1024, "the whole job takes less than 16 KiB of RAM");

/// Numbers of any width as the same bytes.
class number_digest {
 public:
  number_digest& add(std::uint64_t number) {
    std::array<std::byte, 8> bytes{};
    for (auto& one : bytes) {
      one = static_cast<std::byte>(number & 0xFF);
      number >>= 8;
    }
    digest_.update(bytes);
    return *this;
  }
  template <class Row>
  number_digest& add_all(const Row& row) {
    for (const auto number : row) add(static_cast<std::uint64_t>(number));
    return *this;
  }
  std::uint64_t value() const { return digest_.value(); }

 private:
  hg::digest64 digest_{};
};

void report(const char* what, const char* graph, const char* method, std::uint64_t digest) {
  (line() << what << "/" << graph << "/" << method << " " << digest).say();
}

/// Partition, relabel, expand every part, query the book; one digest of each.
template <hg::graph Graph, class Policy>
bool cut(const char* graph_name, const Graph& graph, const char* method, const Policy& policy) {
  if (!job.partition(graph, policy, hg::descending_degree{})) return false;
  report("by_degree", graph_name, method,
         number_digest().add_all(job.old_node()).add_all(job.old_edge()).value());
  if (!job.partition(graph, policy, hg::breadth_first{})) return false;
  report("breadth_first", graph_name, method,
         number_digest().add_all(job.old_node()).add_all(job.old_edge()).value());
  if (!job.partition(graph, policy)) return false;
  report("owner", graph_name, method, number_digest().add_all(job.owner()).value());
  report("nodes", graph_name, method,
         number_digest().add_all(job.old_node()).add_all(job.node_bounds()).value());
  report("edges", graph_name, method,
         number_digest().add_all(job.old_edge()).add_all(job.edge_bounds()).value());
  for (const unsigned hops : {1u, 2u}) {
    number_digest digest;
    for (std::size_t p = 0; p < job.num_parts(); ++p) {
      if (!job.expand(p, {.hops = hops})) return false;
      const auto& found = job.part();
      digest.add_all(found.inner)
          .add_all(found.halo)
          .add_all(found.sources)
          .add_all(found.targets)
          .add_all(found.edges);
    }
    report(hops == 1 ? "halo1" : "halo2", graph_name, method, digest.value());
  }
  number_digest answers;
  const auto& nodes = job.book().nodes();
  for (std::uint64_t v = 0; v < nodes.size(); ++v) {
    hg::part_id owner = 0;
    hg::typed_id<job_type::node_id> typed;
    job_type::node_id local = 0;
    if (!nodes.part_of(v, owner) || !nodes.to_typed(v, typed) || !nodes.to_local(owner, v, local))
      return false;
    answers.add(owner).add(typed.type).add(typed.id).add(local);
  }
  report("book", graph_name, method, answers.value());
  std::uint64_t crossing = 0;
  if (!hg::directed_cut_into(graph, job.owner(), crossing)) return false;
  report("cut", graph_name, method, number_digest().add(crossing).value());
  return true;
}

template <hg::graph Graph>
bool cut_by_all(const char* name, const Graph& graph) {
  // An assignment made elsewhere: every 3rd node to part 0, and so on.
  static std::array<part, limits.nodes> elsewhere{};
  const auto owners = std::span<part>(elsewhere).first(hg::num_nodes(graph));
  for (std::size_t v = 0; v < owners.size(); ++v) owners[v] = static_cast<part>(v % 3);
  return cut(name, graph, "random", hg::basic_random_parts<part>{.parts = 4, .seed = 1}) &&
         cut(name, graph, "random_unbalanced",
             hg::basic_random_parts<part>{.parts = 4, .seed = 1, .balanced = false}) &&
         cut(name, graph, "hash", hg::basic_hash_parts<part>{.parts = 4, .seed = 1}) &&
         cut(name, graph, "range", hg::basic_range_parts<part>{.parts = 4}) &&
         cut(name, graph, "given", hg::basic_given<part>{.parts = 3, .owners = owners}) &&
         cut(name, graph, "ldg", ldg) && cut(name, graph, "fennel_shuffled", fennel) &&
         cut(name, graph, "ldg_refined", refined);
}

}  // namespace

bool cut_on_chip() {
  return cut_by_all("grid", hg::generators::grid{.width = 12, .height = 10}) &&
         cut_by_all("rmat", hg::generators::rmat{.scale = 7, .edge_factor = 4, .seed = 1}) &&
         cut_by_all("academic", hg::generators::academic({.papers = 60,
                                                          .authors = 40,
                                                          .institutions = 5,
                                                          .authors_per_paper = 3,
                                                          .citations_per_paper = 4,
                                                          .seed = 1}));
}
