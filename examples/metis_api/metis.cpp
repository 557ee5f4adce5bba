// SPDX-License-Identifier: BSL-1.0
// METIS 5's C interface over hg::basic_multilevel. No state outlives a call, so threads may call at
// once.
#include <halograph/core/executor.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/assign_context.hpp>
#include <halograph/partition/balance.hpp>
#include <halograph/partition/connected/connected_parts.hpp>
#include <halograph/partition/multilevel.hpp>
#if HALOGRAPH_METIS_TBB
#include <halograph/adapters/tbb.hpp>
#endif

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace hg = halograph;

#if HALOGRAPH_METIS_64
using idx_t = std::int64_t;
using real_t = double;
#else
using idx_t = std::int32_t;
using real_t = float;
#endif
#define METIS_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// Numbers of METIS 5.1's metis.h.
enum : int { ok = 1, error_input = -2, error_memory = -3, error_other = -4 };
enum : std::size_t {
  option_objtype = 1,
  option_seed = 8,
  option_contig = 11,
  option_ufactor = 16,
  option_numbering = 17,
  option_count = 40
};

int refuse(int code, const std::string& why) {
  std::fprintf(stderr, "halograph's METIS: %s\n", why.c_str());
  return code;
}

/// METIS's arrays as a graph: each pair of neighbors once, from the lower node to the higher one.
struct metis_graph {
  using node_id = std::uint64_t;
  using edge_id = std::uint64_t;
  std::size_t nodes = 0;
  idx_t base = 0;
  const idx_t* xadj = nullptr;
  const idx_t* adjncy = nullptr;

  std::size_t row(std::size_t v) const { return static_cast<std::size_t>(xadj[v] - base); }
  std::size_t target(std::size_t i) const { return static_cast<std::size_t>(adjncy[i] - base); }
  std::size_t num_nodes() const { return nodes; }
  void for_each_edge(auto f) const {
    std::uint64_t e = 0;
    for (std::size_t u = 0; u < nodes; ++u)
      for (std::size_t i = row(u); i < row(u + 1); ++i)
        if (const std::size_t v = target(i); u < v)
          f(static_cast<std::uint64_t>(u), static_cast<std::uint64_t>(v), e++);
  }
};

/// Why the arrays are no undirected graph, or "".
std::string fault(const metis_graph& g, const idx_t* adjwgt) {
  if (g.xadj[0] != g.base) return "xadj must begin with " + std::to_string(g.base);
  for (std::size_t v = 0; v < g.nodes; ++v)
    if (g.xadj[v + 1] < g.xadj[v])
      return "xadj decreases after entry " + std::to_string(v) + "; it must not";
  const std::size_t entries = g.row(g.nodes);
  if (entries != 0 && g.adjncy == nullptr) return "adjncy is null; it must hold the neighbors";
  std::vector<std::size_t> begin(g.nodes + 1);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    const idx_t v = g.adjncy[i];
    if (v < g.base || static_cast<std::uint64_t>(v - g.base) >= g.nodes)
      return "entry " + std::to_string(i) + " of adjncy is " + std::to_string(v) +
             "; it must be a node of the graph";
    ++begin[g.target(i) + 1];
    if (adjwgt == nullptr) continue;
    if (adjwgt[i] < 1)
      return "entry " + std::to_string(i) + " of adjwgt is " + std::to_string(adjwgt[i]) +
             "; it must be 1 or more";
    total += static_cast<std::uint64_t>(adjwgt[i]);
    if (total > hg::detail::most_pair_weight) return "adjwgt sums to more than 2^62";
  }
  // The graph turned around must have in each row the same neighbors, of the same weight.
  for (std::size_t v = 0; v < g.nodes; ++v) begin[v + 1] += begin[v];
  std::vector<std::size_t> from(entries), at(entries), next(begin.begin(), begin.end() - 1);
  for (std::size_t u = 0; u < g.nodes; ++u)
    for (std::size_t i = g.row(u); i < g.row(u + 1); ++i) {
      const std::size_t to = next[g.target(i)]++;
      from[to] = u;
      at[to] = i;
    }
  std::vector<std::int64_t> sum(g.nodes);
  const auto weight = [&](std::size_t i) -> std::int64_t { return adjwgt ? adjwgt[i] : 1; };
  for (std::size_t v = 0; v < g.nodes; ++v) {
    for (std::size_t i = begin[v]; i < begin[v + 1]; ++i) sum[from[i]] += weight(at[i]);
    for (std::size_t i = g.row(v); i < g.row(v + 1); ++i) sum[g.target(i)] -= weight(i);
    const auto differs = [&](std::size_t u) {
      return "nodes " + std::to_string(v) + " and " + std::to_string(u) +
             " (from 0) must be neighbors both ways, with the same weight";
    };
    for (std::size_t i = begin[v]; i < begin[v + 1]; ++i)
      if (sum[from[i]] != 0) return differs(from[i]);
    for (std::size_t i = g.row(v); i < g.row(v + 1); ++i)
      if (sum[g.target(i)] != 0) return differs(g.target(i));
  }
  return "";
}

/// What METIS returns as edgecut: the weight of cut edges, or the total communication volume.
std::int64_t objective(const metis_graph& g, const idx_t* adjwgt, const idx_t* vsize, bool volume,
                       std::uint64_t parts, const std::vector<hg::part_id>& owner) {
  std::int64_t sum = 0;
  std::vector<std::size_t> seen(volume ? static_cast<std::size_t>(parts) : 0, g.nodes);
  for (std::size_t v = 0; v < g.nodes; ++v)
    for (std::size_t i = g.row(v); i < g.row(v + 1); ++i) {
      const std::size_t u = g.target(i);
      if (owner[u] == owner[v]) continue;
      if (!volume) {
        if (v < u) sum += adjwgt ? adjwgt[i] : 1;
      } else if (auto& last = seen[static_cast<std::size_t>(owner[u])]; last != v) {
        last = v;
        sum += vsize ? vsize[v] : 1;
      }
    }
  return sum;
}

/// Threads of a call: what the environment says in HALOGRAPH_METIS_THREADS, else 1, as METIS, whose
/// callers may have a process or a thread of their own for each core. Nothing: it is no number.
std::optional<std::size_t> threads_of_call() {
  const char* const said = std::getenv("HALOGRAPH_METIS_THREADS");
  if (said == nullptr || *said == '\0') return 1;
  const std::string_view text(said);
  std::size_t threads = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (fault != std::errc() || end != text.data() + text.size() || threads == 0 || threads > 1024)
    return std::nullopt;
  return threads;
}

/// Partition, and with `contiguous` join what is apart from its part.
int assign(hg::multilevel& policy, const metis_graph& g, bool contiguous,
           std::span<hg::part_id> owner) {
  const auto threads = threads_of_call();
  if (!threads)
    return refuse(error_input, "the environment's HALOGRAPH_METIS_THREADS must be 1 to 1024");
  hg::executor_ref executor;
#if HALOGRAPH_METIS_TBB
  std::optional<hg::tbb_threads> pool;
  if (*threads > 1) executor = hg::executor_ref(pool.emplace(*threads));
#endif
  if (const hg::status done = policy.assign(g, owner, hg::assign_context().on(executor)); !done)
    return refuse(error_input, policy.explain(done));
  if (!contiguous) return ok;
  const hg::connected_parts joiner{.parts = policy.parts, .constraints = policy.constraints};
  const hg::status done = joiner.refine(g, owner);
  return done ? int{ok} : refuse(error_input, joiner.explain(done));
}

int partition(const idx_t* nvtxs, const idx_t* ncon, const idx_t* xadj, const idx_t* adjncy,
              const idx_t* vwgt, const idx_t* vsize, const idx_t* adjwgt, const idx_t* nparts,
              const real_t* tpwgts, const real_t* ubvec, const idx_t* options, idx_t* edgecut,
              idx_t* part, idx_t default_ufactor) {
  if (!nvtxs || !ncon || !xadj || !nparts || !edgecut || !part)
    return refuse(error_input, "nvtxs, ncon, xadj, nparts, edgecut and part must not be null");
  if (*nvtxs < 1 || *ncon < 1 || *nparts < 1)
    return refuse(error_input, "nvtxs, ncon and nparts must be 1 or more");
  const auto option = [&](std::size_t which, idx_t otherwise) {
    return options == nullptr || options[which] == -1 ? otherwise : options[which];
  };
  const idx_t base = option(option_numbering, 0), objtype = option(option_objtype, 0),
              ufactor = option(option_ufactor, default_ufactor), contig = option(option_contig, 0);
  if (base != 0 && base != 1) return refuse(error_input, "METIS_OPTION_NUMBERING must be 0 or 1");
  if (objtype != 0 && objtype != 1)
    return refuse(error_input, "METIS_OPTION_OBJTYPE must be METIS_OBJTYPE_CUT or _VOL");
  if (ufactor < 1) return refuse(error_input, "METIS_OPTION_UFACTOR must be 1 or more");
  if (contig != 0 && contig != 1) return refuse(error_input, "METIS_OPTION_CONTIG must be 0 or 1");

  const auto nodes = static_cast<std::size_t>(*nvtxs), rows = static_cast<std::size_t>(*ncon),
             parts = static_cast<std::size_t>(*nparts);
  const metis_graph g{nodes, base, xadj, adjncy};
  if (const std::string why = fault(g, adjwgt); !why.empty()) return refuse(error_input, why);
  for (std::size_t v = 0; vsize && v < nodes; ++v)
    if (vsize[v] < 0) return refuse(error_input, "vsize must not be negative");

  // Loads by constraint; METIS has them by node.
  std::vector<std::vector<std::int64_t>> loads(rows, std::vector<std::int64_t>(nodes, 1));
  std::vector<hg::constraint> constraints(rows);
  for (std::size_t c = 0; c < rows; ++c) {
    for (std::size_t v = 0; vwgt && v < nodes; ++v) {
      loads[c][v] = vwgt[v * rows + c];
      if (loads[c][v] < 0) return refuse(error_input, "vwgt must not be negative");
    }
    const double most = ubvec ? static_cast<double>(ubvec[c])
                              : 1 + static_cast<double>(ufactor) / 1000;
    if (!(most >= 1) || !std::isfinite(most))
      return refuse(error_input, "ubvec must be 1 or more in each constraint");
    constraints[c].load = std::span<const std::int64_t>(loads[c]);
    constraints[c].tolerance = most - 1;
  }
  std::vector<double> shares;
  if (tpwgts) {
    for (std::size_t i = 0; i < parts * rows; ++i) shares.push_back(static_cast<double>(tpwgts[i]));
    for (const double share : shares) {
      if (!(share > 0 && share <= 1))
        return refuse(error_input, "tpwgts must be above 0 and at most 1");
      if (contig == 1 && share != shares[0])
        return refuse(error_input, "METIS_OPTION_CONTIG needs equal tpwgts");
    }
  }
  std::vector<std::int64_t> weights;
  if (adjwgt)
    for (std::size_t u = 0; u < nodes; ++u)
      for (std::size_t i = g.row(u); i < g.row(u + 1); ++i)
        if (u < g.target(i)) weights.push_back(adjwgt[i]);

  hg::multilevel policy;
  policy.parts = parts;
  policy.seed = static_cast<std::uint64_t>(option(option_seed, 0));
  policy.constraints = constraints;
  policy.edge_weights = weights;
  std::vector<std::int64_t> sizes;
  if (objtype == 1) {
    policy.objective = hg::objective::volume;
    if (vsize) sizes.assign(vsize, vsize + nodes);
    policy.node_sizes = sizes;
  }
  policy.part_weights = shares;
  std::vector<hg::part_id> owner(nodes);
  if (const int done = assign(policy, g, contig == 1, owner); done != ok) return done;
  const std::int64_t found = objective(g, adjwgt, vsize, objtype == 1, parts, owner);
  if (found > std::numeric_limits<idx_t>::max())
    return refuse(error_other, "edgecut does not fit idx_t; use the 64-bit library");
  *edgecut = static_cast<idx_t>(found);
  for (std::size_t v = 0; v < nodes; ++v) part[v] = static_cast<idx_t>(owner[v]) + base;
  return ok;
}

/// METIS's arrays of a mesh: the nodes of each element.
struct mesh {
  std::size_t elements = 0, nodes = 0;
  idx_t base = 0;
  const idx_t* eptr = nullptr;
  const idx_t* eind = nullptr;

  std::size_t begin(std::size_t e) const { return static_cast<std::size_t>(eptr[e] - base); }
  std::size_t node(std::size_t i) const { return static_cast<std::size_t>(eind[i] - base); }
  std::size_t size(std::size_t e) const { return begin(e + 1) - begin(e); }
};

/// Why the arrays are no mesh, or "".
std::string read_mesh(const idx_t* ne, const idx_t* nn, const idx_t* eptr, const idx_t* eind,
                      idx_t base, mesh& out) {
  if (!ne || !nn || !eptr || !eind) return "ne, nn, eptr and eind must not be null";
  if (*ne < 1 || *nn < 1) return "ne and nn must be 1 or more";
  if (base != 0 && base != 1) return "the numbering must begin with 0 or 1";
  out = {static_cast<std::size_t>(*ne), static_cast<std::size_t>(*nn), base, eptr, eind};
  if (eptr[0] != base) return "eptr must begin with " + std::to_string(base);
  for (std::size_t e = 0; e < out.elements; ++e)
    if (eptr[e + 1] < eptr[e])
      return "eptr decreases after entry " + std::to_string(e) + "; it must not";
  for (std::size_t i = 0; i < out.begin(out.elements); ++i)
    if (eind[i] < base || static_cast<std::uint64_t>(eind[i] - base) >= out.nodes)
      return "entry " + std::to_string(i) + " of eind is " + std::to_string(eind[i]) +
             "; it must be a node of the mesh";
  return "";
}

/// Of each node the elements that it is in. @return offsets, then elements
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> elements_of_nodes(const mesh& m) {
  std::vector<std::size_t> offsets(m.nodes + 1), elements(m.begin(m.elements));
  for (std::size_t i = 0; i < elements.size(); ++i) ++offsets[m.node(i) + 1];
  for (std::size_t v = 0; v < m.nodes; ++v) offsets[v + 1] += offsets[v];
  std::vector<std::size_t> next(offsets.begin(), offsets.end() - 1);
  for (std::size_t e = 0; e < m.elements; ++e)
    for (std::size_t i = m.begin(e); i < m.begin(e + 1); ++i) elements[next[m.node(i)]++] = e;
  return {std::move(offsets), std::move(elements)};
}

/// Rows of a graph: visit(v, add) calls add(u) for each neighbor u of v, once.
struct adjacency {
  std::vector<idx_t> xadj{}, adjncy{};
  bool fits = true;

  template <class Visit>
  adjacency(std::size_t nodes, idx_t base, const Visit& visit) {
    xadj.push_back(base);
    for (std::size_t v = 0; v < nodes && fits; ++v) {
      visit(v, [&](std::size_t u) { adjncy.push_back(static_cast<idx_t>(u) + base); });
      fits = adjncy.size() < static_cast<std::size_t>(std::numeric_limits<idx_t>::max()) - 1;
      xadj.push_back(static_cast<idx_t>(adjncy.size()) + base);
    }
  }
};

/// Elements are neighbors where they share `common` nodes, or all but one of either's, as in METIS.
adjacency dual_graph(const mesh& m, std::size_t common) {
  const auto [offsets, elements] = elements_of_nodes(m);
  std::vector<std::size_t> shared(m.elements), met;
  return {m.elements, m.base,
          [&, &offsets = offsets, &elements = elements](std::size_t e, const auto& add) {
            met.clear();
            for (std::size_t i = m.begin(e); i < m.begin(e + 1); ++i)
              for (std::size_t j = offsets[m.node(i)]; j < offsets[m.node(i) + 1]; ++j) {
                const std::size_t other = elements[j];
                if (other == e) continue;
                if (shared[other]++ == 0) met.push_back(other);
              }
            for (const std::size_t other : met) {
              if (shared[other] >= std::min({common, std::max<std::size_t>(1, m.size(e)) - 1,
                                             std::max<std::size_t>(1, m.size(other)) - 1}))
                add(other);
              shared[other] = 0;
            }
          }};
}

/// Nodes are neighbors where they are in one element.
adjacency nodal_graph(const mesh& m) {
  const auto [offsets, elements] = elements_of_nodes(m);
  std::vector<std::size_t> last(m.nodes, m.nodes);
  return {m.nodes, m.base,
          [&, &offsets = offsets, &elements = elements](std::size_t v, const auto& add) {
            last[v] = v;
            for (std::size_t j = offsets[v]; j < offsets[v + 1]; ++j)
              for (std::size_t i = m.begin(elements[j]); i < m.begin(elements[j] + 1); ++i)
                if (auto& seen = last[m.node(i)]; seen != v) {
                  seen = v;
                  add(m.node(i));
                }
          }};
}

/// Hand rows to a C program, which frees them with METIS_Free.
int give(const adjacency& g, idx_t** xadj, idx_t** adjncy) {
  if (!xadj || !adjncy) return refuse(error_input, "r_xadj and r_adjncy must not be null");
  if (!g.fits) return refuse(error_other, "the graph does not fit idx_t; use the 64-bit library");
  const auto copy = [](const std::vector<idx_t>& from) {
    auto* to = static_cast<idx_t*>(
        std::malloc(std::max<std::size_t>(1, from.size()) * sizeof(idx_t)));
    if (to != nullptr) std::copy(from.begin(), from.end(), to);
    return to;
  };
  *xadj = copy(g.xadj);
  *adjncy = copy(g.adjncy);
  if (*xadj != nullptr && *adjncy != nullptr) return ok;
  std::free(*xadj);
  std::free(*adjncy);
  *xadj = *adjncy = nullptr;
  return error_memory;
}

/// The part that most of the members have; of equal ones the one that holds least so far.
/// @param visit  visit(i, add) calls add(member) for each member of i
template <class Visit>
void follow(std::size_t count, std::size_t parts, idx_t base, const idx_t* part_of_member,
            idx_t* part, const Visit& visit) {
  std::vector<std::size_t> votes(parts), held(parts), met;
  for (std::size_t i = 0; i < count; ++i) {
    met.clear();
    visit(i, [&](std::size_t member) {
      const auto p = static_cast<std::size_t>(part_of_member[member] - base);
      if (votes[p]++ == 0) met.push_back(p);
    });
    std::size_t best = met.empty() ? static_cast<std::size_t>(
                                         std::min_element(held.begin(), held.end()) - held.begin())
                                   : met[0];
    for (const std::size_t p : met)
      if (votes[p] > votes[best] || (votes[p] == votes[best] && held[p] < held[best])) best = p;
    for (const std::size_t p : met) votes[p] = 0;
    ++held[best];
    part[i] = static_cast<idx_t>(best) + base;
  }
}

/// @param common  of the dual graph, or null: partition the nodal graph
int partition_mesh(const idx_t* ne, const idx_t* nn, const idx_t* eptr, const idx_t* eind,
                   const idx_t* vwgt, const idx_t* vsize, const idx_t* common, bool dual,
                   const idx_t* nparts, const real_t* tpwgts, const idx_t* options, idx_t* objval,
                   idx_t* epart, idx_t* npart) {
  const idx_t base = options == nullptr || options[option_numbering] == -1
                         ? 0
                         : options[option_numbering];
  mesh m;
  if (const std::string why = read_mesh(ne, nn, eptr, eind, base, m); !why.empty())
    return refuse(error_input, why);
  if (!nparts || !objval || !epart || !npart)
    return refuse(error_input, "nparts, objval, epart and npart must not be null");
  if (dual && (common == nullptr || *common < 1))
    return refuse(error_input, "ncommon must be 1 or more");
  const adjacency g = dual ? dual_graph(m, static_cast<std::size_t>(*common)) : nodal_graph(m);
  if (!g.fits) return refuse(error_other, "the graph does not fit idx_t; use the 64-bit library");
  const idx_t one = 1;
  const int done = partition(dual ? ne : nn, &one, g.xadj.data(), g.adjncy.data(), vwgt, vsize,
                             nullptr, nparts, tpwgts, nullptr, options, objval,
                             dual ? epart : npart, 30);
  if (done != ok) return done;
  const auto parts = static_cast<std::size_t>(*nparts);
  if (!dual) {
    follow(m.elements, parts, base, npart, epart, [&](std::size_t e, const auto& add) {
      for (std::size_t i = m.begin(e); i < m.begin(e + 1); ++i) add(m.node(i));
    });
    return ok;
  }
  const auto [offsets, elements] = elements_of_nodes(m);
  follow(m.nodes, parts, base, epart, npart,
         [&, &offsets = offsets, &elements = elements](std::size_t v, const auto& add) {
           for (std::size_t j = offsets[v]; j < offsets[v + 1]; ++j) add(elements[j]);
         });
  return ok;
}

/// No exception may reach a C caller.
template <class F>
int guarded(F f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return error_memory;
  } catch (const std::exception&) {
    return error_other;
  }
}

int not_here(const char* function) {
  std::fprintf(stderr,
               "halograph's METIS: %s is not available; only graphs and meshes are partitioned.\n",
               function);
  return error_other;
}

}  // namespace

#define METIS_PARTITION(name, ufactor)                                                             \
  METIS_EXPORT int name(idx_t* nvtxs, idx_t* ncon, idx_t* xadj, idx_t* adjncy, idx_t* vwgt,        \
                        idx_t* vsize, idx_t* adjwgt, idx_t* nparts, real_t* tpwgts, real_t* ubvec, \
                        idx_t* options, idx_t* edgecut, idx_t* part) {                             \
    return guarded([&] {                                                                           \
      return partition(nvtxs, ncon, xadj, adjncy, vwgt, vsize, adjwgt, nparts, tpwgts, ubvec,      \
                       options, edgecut, part, ufactor);                                           \
    });                                                                                            \
  }
METIS_PARTITION(METIS_PartGraphKway, 30)
METIS_PARTITION(METIS_PartGraphRecursive, 1)

METIS_EXPORT int METIS_SetDefaultOptions(idx_t* options) {
  if (options == nullptr) return error_input;
  std::fill_n(options, static_cast<std::size_t>(option_count), idx_t{-1});
  return ok;
}
METIS_EXPORT int METIS_Free(void* p) {
  std::free(p);
  return ok;
}
METIS_EXPORT int METIS_MeshToDual(idx_t* ne, idx_t* nn, idx_t* eptr, idx_t* eind, idx_t* ncommon,
                                  idx_t* numflag, idx_t** r_xadj, idx_t** r_adjncy) {
  return guarded([&] {
    mesh m;
    if (!ncommon || !numflag) return refuse(error_input, "ncommon and numflag must not be null");
    if (const std::string why = read_mesh(ne, nn, eptr, eind, *numflag, m); !why.empty())
      return refuse(error_input, why);
    if (*ncommon < 1) return refuse(error_input, "ncommon must be 1 or more");
    return give(dual_graph(m, static_cast<std::size_t>(*ncommon)), r_xadj, r_adjncy);
  });
}
METIS_EXPORT int METIS_MeshToNodal(idx_t* ne, idx_t* nn, idx_t* eptr, idx_t* eind, idx_t* numflag,
                                   idx_t** r_xadj, idx_t** r_adjncy) {
  return guarded([&] {
    mesh m;
    if (!numflag) return refuse(error_input, "numflag must not be null");
    if (const std::string why = read_mesh(ne, nn, eptr, eind, *numflag, m); !why.empty())
      return refuse(error_input, why);
    return give(nodal_graph(m), r_xadj, r_adjncy);
  });
}
METIS_EXPORT int METIS_PartMeshDual(idx_t* ne, idx_t* nn, idx_t* eptr, idx_t* eind, idx_t* vwgt,
                                    idx_t* vsize, idx_t* ncommon, idx_t* nparts, real_t* tpwgts,
                                    idx_t* options, idx_t* objval, idx_t* epart, idx_t* npart) {
  return guarded([&] {
    return partition_mesh(ne, nn, eptr, eind, vwgt, vsize, ncommon, true, nparts, tpwgts, options,
                          objval, epart, npart);
  });
}
METIS_EXPORT int METIS_PartMeshNodal(idx_t* ne, idx_t* nn, idx_t* eptr, idx_t* eind, idx_t* vwgt,
                                     idx_t* vsize, idx_t* nparts, real_t* tpwgts, idx_t* options,
                                     idx_t* objval, idx_t* epart, idx_t* npart) {
  return guarded([&] {
    return partition_mesh(ne, nn, eptr, eind, vwgt, vsize, nullptr, false, nparts, tpwgts, options,
                          objval, epart, npart);
  });
}
// Refused whatever they are given: C's callers find the arguments where they left them.
#define METIS_REFUSED(name) \
  METIS_EXPORT int name() { return not_here(#name); }
METIS_REFUSED(METIS_NodeND)
METIS_REFUSED(METIS_NodeNDP)
METIS_REFUSED(METIS_NodeRefine)
METIS_REFUSED(METIS_ComputeVertexSeparator)
