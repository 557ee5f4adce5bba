// SPDX-License-Identifier: BSL-1.0
/// @file nodes.hpp
/// Dispatch, nodes: from assignment files to new node IDs, and who has the new ID of which node.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/offsets.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/pipeline/out_of_core/job.hpp>
#include <halograph/pipeline/out_of_core/ranges.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::detail {

/// Sum the counts of ranks. Inside run_collective(); collective.
/// @param counts  [C] of this rank; out: the sums over lower ranks   @return [C] over all ranks
std::vector<std::uint64_t> sum_counts(communicator_ref ranks, std::span<std::uint64_t> counts);

/// Find where a rank begins to read its share of a file of the assignment. Each rank counts the
/// lines in a share of the bytes. Inside run_collective().
/// @errors mismatch: a wrong number of lines, on all ranks; those of assigned_file::read()
assigned_place find_assigned(const assigned_file& file, communicator_ref ranks, executor_ref run);

/// The files of dispatched_nodes, while nodes are numbered by (part, type, original ID). Each rank
/// numbers its share of each type.
template <id Node>
class node_numbers {
 public:
  /// @param share  of this rank
  node_numbers(std::string folder, std::span<const std::uint64_t> node_counts, std::size_t parts,
               const row_readers& share, dispatched_nodes<Node>& out)
      : folder_(std::move(folder)),
        types_(node_counts.size()),
        offsets_(offsets_of(node_counts)),
        share_(share),
        next_(parts * types_),
        out_(out) {
    out_.new_node = scratch_array<Node>::create(folder_ + "/new_node", share_.count());
    out_.bounds = scratch_array<std::uint64_t>::create(folder_ + "/node_bounds", next_.size() + 1);
  }

  /// Take parts of nodes of this rank. @param first  typed ID of the first
  void take(std::size_t type, std::span<const std::int32_t> parts, std::uint64_t first) {
    const auto own = out_.new_node.values();
    auto slot = static_cast<std::size_t>(share_.slot(type, first));
    for (const auto part : parts) {
      own[slot++] = static_cast<Node>(part);
      ++next_[static_cast<std::size_t>(part) * types_ + type];
    }
  }
  /// The parts that were taken of a type, before number().
  std::span<const Node> parts_of(std::size_t type) const {
    const id_range own = share_.rows(type);
    return std::as_const(out_.new_node)
        .values()
        .subspan(static_cast<std::size_t>(share_.slot(type, own.begin)),
                 static_cast<std::size_t>(own.size()));
  }
  /// Find where the cells begin, once all parts are taken. Inside run_collective().
  void bound(communicator_ref ranks) {
    const auto bounds = out_.bounds.values();
    const auto all = sum_counts(ranks, next_);
    for (std::size_t cell = 0; cell < next_.size(); ++cell) {
      next_[cell] += bounds[cell];
      bounds[cell + 1] = bounds[cell] + all[cell];
    }
  }
  /// Number the nodes on one rank.
  void number() {
    out_.old_node = scratch_array<Node>::create(folder_ + "/old_node", offsets_.back());
    const auto old_node = out_.old_node.values();
    for (std::size_t t = 0; t < types_; ++t) {
      const id_range own = share_.rows(t);
      for (std::uint64_t typed = own.begin; typed < own.end; ++typed)
        old_node[index(number_node(t, typed))] = static_cast<Node>(offsets_[t] + typed);
    }
  }
  /// Number the nodes and send the original IDs to the ranks that keep them. Inside
  /// run_collective().
  /// @param shares  who has which part   @param keep_all  each rank keeps those of all nodes
  void number(communicator_ref ranks, const rank_shares& shares, bool keep_all,
              std::uint64_t exchange_bytes, std::pmr::memory_resource* memory) {
    struct numbered {
      Node fresh, old;
    };
    const id_range kept = keep_all ? id_range{0, offsets_.back()} : shares.nodes();
    out_.old_node = scratch_array<Node>::create(folder_ + "/old_node", kept.size());
    const auto old_node = out_.old_node.values();
    record_exchange exchange(
        ranks, sizeof(numbered),
        std::max(records_per_round(exchange_bytes, ranks.size(), sizeof(numbered)), ranks.size()),
        memory);
    const std::size_t copies = keep_all ? ranks.size() : 1;
    std::size_t t = 0;
    std::uint64_t typed = types_ == 0 ? 0 : share_.rows(0).begin, received = 0;
    exchange.run(
        [&](std::uint64_t) {
          for (; t < types_; typed = ++t < types_ ? share_.rows(t).begin : 0) {
            for (const std::uint64_t end = share_.rows(t).end; typed < end; ++typed) {
              if (exchange.room() < copies) return true;
              const numbered one{number_node(t, typed), static_cast<Node>(offsets_[t] + typed)};
              for (std::size_t r = 0; r < copies; ++r)
                exchange.push(keep_all ? r : shares.of_node(static_cast<std::uint64_t>(one.fresh)),
                              one);
            }
          }
          return false;
        },
        [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
          for_each_record<numbered>(bytes, [&](const numbered& one) {
            const std::uint64_t at = static_cast<std::uint64_t>(one.fresh) - kept.begin;
            if (at >= kept.size())
              raise(error_kind::internal,
                    "a rank was sent the original ID of a node that it does not keep");
            old_node[static_cast<std::size_t>(at)] = one.old;
            ++received;
          });
        });
    require_equal(received, kept.size(), "original IDs of nodes");
  }

 private:
  Node number_node(std::size_t type, std::uint64_t typed) {
    Node& own = out_.new_node.values()[static_cast<std::size_t>(share_.slot(type, typed))];
    own = static_cast<Node>(next_[index(own) * types_ + type]++);
    return own;
  }

  std::string folder_;
  std::size_t types_;
  std::vector<std::uint64_t> offsets_;
  const row_readers& share_;
  std::vector<std::uint64_t> next_;  // [P*T] nodes of this rank, then the new ID of the next
  dispatched_nodes<Node>& out_;
};

/// New IDs that are asked for by original ID, and where the answers go: as many.
template <id Node>
struct node_request {
  std::span<const Node> nodes{};
  std::span<Node> answers{};
};

/// Nodes that were looked up before, or are being asked for: of those whose original IDs have the
/// same lowest bits, the last one.
template <id Node>
class known_nodes {
 public:
  enum class state : std::uint8_t { unknown, asked, known };

  /// @param count  to remember: a power of 2, or 0
  known_nodes(std::uint64_t count, std::pmr::memory_resource* memory)
      : all_(static_cast<std::size_t>(count), {none, none}, memory),
        asked_(static_cast<std::size_t>(count), memory) {}

  /// @param value  of a node that is known its new ID, of one that is asked for a number of the
  /// caller's
  void remember(Node node, state now, std::uint64_t value) {
    if (all_.empty()) return;
    const std::size_t at = place_of(node);
    all_[at] = {node, static_cast<Node>(value)};
    asked_[at] = now == state::asked;
  }
  /// @param value  out: as remembered
  state find(Node node, std::uint64_t& value) const {
    if (all_.empty()) return state::unknown;
    const std::size_t at = place_of(node);
    if (all_[at].first != node) return state::unknown;
    value = static_cast<std::uint64_t>(all_[at].second);
    return asked_[at] ? state::asked : state::known;
  }
  /// Let the processor load what find() and remember() look at.
  void fetch(Node node) const noexcept {
    if (!all_.empty()) __builtin_prefetch(all_.data() + place_of(node));
  }

 private:
  // No node has it: IDs are below the capacity of their type.
  static constexpr Node none = static_cast<Node>(~std::make_unsigned_t<Node>{0});
  std::size_t place_of(Node node) const noexcept { return index(node) & (all_.size() - 1); }

  std::pmr::vector<std::pair<Node, Node>> all_;
  std::pmr::vector<bool> asked_;
};

/// New IDs of nodes by original ID. Each rank has those of its share in memory, and asks the others
/// for theirs.
template <id Node>
class new_node_table {
 public:
  /// @param share           of this rank
  /// @param most_asked      nodes in a call of find(): the same on all ranks, as is the next
  /// @param exchange_bytes  for requests and answers of a round
  /// @param known           nodes to remember, so that they are not asked for again: see
  ///     known_nodes
  new_node_table(const dispatched_nodes<Node>& nodes, const row_readers& share,
                 communicator_ref ranks, std::size_t most_asked, std::uint64_t exchange_bytes,
                 std::uint64_t known, std::pmr::memory_resource* memory)
      : share_(share),
        ranks_(ranks),
        most_(is_whole() ? 0
                         : static_cast<std::size_t>(std::clamp<std::uint64_t>(
                               exchange_bytes / round_bytes(ranks.size()), 1,
                               std::min<std::size_t>(most_asked, as_before - 1)))),
        in_one_round_(most_ == most_asked),
        own_(memory),
        place_(most_, memory),
        sent_(most_, memory),
        answered_(most_, memory),
        received_(ranks.size() * most_, memory),
        found_(ranks.size() * most_, memory),
        known_(is_whole() ? 0 : known, memory),
        peers_(ranks) {
    const auto values = nodes.new_node.values();
    own_.assign(values.begin(), values.end());
    if (!is_whole()) peers_.allocate();
  }

  /// Does this rank have all of them? Then they are in the order of original IDs.
  bool is_whole() const noexcept { return ranks_.size() == 1; }
  /// [S] those of this rank, by slot.
  std::span<const Node> own() const noexcept { return own_; }

  /// Look up nodes of any rank, in rounds. Collective, inside run_collective().
  void find(std::span<const node_request<Node>> requests) {
    std::uint64_t count = 0, rounds = 1;
    for (const auto& one : requests) count += one.nodes.size();
    if (!in_one_round_) rounds = all_reduce_max(ranks_, (count + most_ - 1) / most_);
    if (in_one_round_ && count > most_)
      raise(error_kind::internal, "more nodes are looked up at once than was said");
    place_of_request at;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      auto& out = peers_.out;
      std::fill(out.begin(), out.end(), 0);
      const auto each = [&](auto&& f) { return visit(requests, at, f); };
      each([&](std::size_t k, Node node, Node& answer) {
        std::uint64_t value = 0;
        const state found = known_.find(node, value);
        place_[k] = found == state::asked ? as_before | static_cast<std::uint32_t>(value)
                                          : not_sent;
        if (found == state::known) answer = static_cast<Node>(value);
        if (found != state::unknown) return;
        const std::size_t to = share_.of(static_cast<std::uint64_t>(node));
        if (to == ranks_.rank()) {
          answer = own_[static_cast<std::size_t>(share_.slot_of(static_cast<std::uint64_t>(node)))];
          known_.remember(node, state::known, static_cast<std::uint64_t>(answer));
          return;
        }
        place_[k] = static_cast<std::uint32_t>(to);
        known_.remember(node, state::asked, k);
        ++out[to];
      });
      std::exclusive_scan(out.begin(), out.end(), begin_.begin(), std::uint64_t{0});
      const auto end = each([&](std::size_t k, Node node, Node&) {
        if (place_[k] == not_sent) return;
        if (place_[k] >= as_before) {
          place_[k] = place_[place_[k] - as_before];
          return;
        }
        place_[k] = static_cast<std::uint32_t>(begin_[place_[k]]++);
        sent_[place_[k]] = node;
      });
      answer_peers(begin_.empty() ? 0 : static_cast<std::size_t>(begin_.back()));
      each([&](std::size_t k, Node node, Node& answer) {
        if (place_[k] == not_sent) return;
        answer = answered_[place_[k]];
        known_.remember(node, state::known, static_cast<std::uint64_t>(answer));
      });
      at = end;
    }
  }

 private:
  using state = typename known_nodes<Node>::state;
  struct place_of_request {
    std::size_t request = 0, node = 0;
  };
  static constexpr std::size_t ahead = 16;
  static constexpr std::uint64_t round_bytes(std::size_t ranks) noexcept {
    return sizeof(std::uint32_t) + (2 + 2 * std::uint64_t{ranks}) * sizeof(Node);
  }
  /// f(k, node, answer) for the nodes of a round, fetched some before it is called. @return where
  /// the next begins
  template <class F>
  place_of_request visit(std::span<const node_request<Node>> requests, place_of_request at,
                         F&& f) const {
    for (std::size_t k = 0; at.request < requests.size(); at = {at.request + 1, 0}) {
      const auto& one = requests[at.request];
      for (; at.node < one.nodes.size(); ++at.node, ++k) {
        if (k == most_) return at;
        if (at.node + ahead < one.nodes.size()) known_.fetch(one.nodes[at.node + ahead]);
        f(k, one.nodes[at.node], one.answers[at.node]);
      }
    }
    return at;
  }
  /// Send what is in `sent_`, and get the answers. Collective.
  void answer_peers(std::size_t count) {
    check_peers(ranks_);
    const auto total = static_cast<std::size_t>(peers_.exchange_counts());
    if (total > received_.size())
      raise(error_kind::mismatch,
            "a rank requests more nodes in a round than this rank has room for");
    peers_.exchange(std::as_bytes(std::span(sent_).first(count)),
                    std::as_writable_bytes(std::span(received_).first(total)), sizeof(Node));
    bool strange = false;
    for (std::size_t i = 0; i < total; ++i) {
      const std::uint64_t slot = share_.slot_of(static_cast<std::uint64_t>(received_[i]));
      strange = strange || slot >= own_.size();
      found_[i] = slot < own_.size() ? own_[static_cast<std::size_t>(slot)] : Node{};
    }
    peers_.reply(std::as_bytes(std::span(found_).first(total)),
                 std::as_writable_bytes(std::span(answered_).first(count)), sizeof(Node));
    if (strange)
      raise(error_kind::internal, "a rank requested from another a node that it does not have");
  }

  const row_readers& share_;
  communicator_ref ranks_;
  std::size_t most_;  // nodes that a rank asks for in a round
  bool in_one_round_;
  std::pmr::vector<Node> own_;
  // Of each node its place in `sent_`; before that, its rank, or which one before it is the same.
  static constexpr std::uint32_t as_before = std::uint32_t{1} << 31, not_sent = ~std::uint32_t{0};
  std::pmr::vector<std::uint32_t> place_;
  std::pmr::vector<Node> sent_, answered_, received_, found_;
  known_nodes<Node> known_;
  std::vector<std::uint64_t> begin_ = std::vector<std::uint64_t>(ranks_.size());
  alltoallv peers_;
};

/// A digest of parts that does not depend on the order in which nodes are read, to be summed.
/// @param first  original ID of the first node
std::uint64_t assignment_sum(std::uint64_t first, std::span<const std::int32_t> parts) noexcept;

/// Writes the folder's node mapping: the part of each node.
class mapping_writer {
 public:
  /// @param create  or open the file that another rank created
  mapping_writer(const std::string& folder, const std::string& name, std::uint64_t parts,
                 std::uint64_t nodes, bool create)
      : layout_(npy_layout(
            name,
            with_smallest_unsigned(parts - 1, []<class Owner>(Owner) { return dtype_of<Owner>(); }),
            tensor_shape{nodes})),
        sink_(create ? file_sink::create(concat({folder, "/", name}), layout_.bytes)
                     : file_sink::open(concat({folder, "/", name}))) {
    if (create) sink_.require(write_literals(layout_, sink_));
  }
  /// @param first  original ID of the first node
  template <id Part>
  void write(std::uint64_t first, std::span<const Part> parts) {
    sink_.require(write_as(sink_, layout_.sections.at(0), first, parts));
  }
  void finish() {
    sink_.sync();
    sink_.close();
  }

 private:
  file_layout layout_;
  file_sink sink_;
};

/// The phase of nodes: each rank reads the parts of its share of them, and keeps their new IDs and
/// the original IDs of the nodes in its parts.
template <id Node, id Edge>
class node_phase {
 public:
  explicit node_phase(dispatch_job<Node, Edge>& job)
      : job_(job), mapping_(job.writes_mapping()), share_(job.node_readers()) {}

  void run() {
    const stage_record* done = job_.stages.completed("nodes");
    if (done == nullptr) {
      run_collective(job_.ranks, [&] { number(); });
      done = &job_.stages.record_of("nodes");
    }
    run_collective(job_.ranks, [&] {
      job_.assignment_digest = done->count("assignment");
      if (mapping_ && job_.output.owns_folder()) {
        job_.output.add(job_.mapping_name());
        job_.output.record(done->files.back());
      }
      auto& nodes = job_.nodes;
      nodes.bounds = scratch_array<std::uint64_t>::open(job_.scratch_file("node_bounds"),
                                                        job_.node_cells() + 1);
      take_bounds();
      nodes.new_node = scratch_array<Node>::open(job_.scratch_file("new_node"), share_.count());
      nodes.old_node = scratch_array<Node>::open(
          job_.scratch_file("old_node"),
          job_.keeps_all_original_nodes() ? job_.num_nodes() : job_.shares.nodes().size());
    });
  }

 private:
  std::size_t types() const noexcept { return job_.input.node_counts.size(); }

  /// Which parts and nodes each rank has.
  void take_bounds() {
    const auto bounds = std::as_const(job_.nodes).bounds.values();
    job_.part_begin.resize(std::size_t{job_.parts} + 1);
    for (std::size_t p = 0; p <= job_.parts; ++p) job_.part_begin[p] = bounds[p * types()];
    job_.shares = rank_shares(job_.part_begin, job_.ranks.rank(), job_.ranks.size());
  }

  assigned_file open_file(std::size_t type) const {
    const auto& names = job_.input.schema.node_types();
    return {assignment_file(job_.assignment, names, type), names[type],
            job_.input.node_counts[type], std::int64_t{job_.parts} - 1, job_.input.opener()};
  }

  /// Read the parts of this rank's nodes. Inside run_collective(). @return their assignment_sum()
  std::uint64_t read_parts(node_numbers<Node>& numbers) {
    std::uint64_t sum = 0, read = 0;
    for (std::size_t t = 0; t < types(); ++t) {
      if (job_.input.node_counts[t] == 0) continue;
      const assigned_file file = open_file(t);
      if (job_.several_ranks()) require_same_beginning(file);
      file.read_nodes<std::int32_t>(find_assigned(file, job_.ranks, job_.run), share_.rows(t),
                                    job_.run,
                                    [&](std::span<const std::int32_t> parts, std::uint64_t first) {
                                      numbers.take(t, parts, first);
                                      sum += assignment_sum(job_.node_offsets[t] + first, parts);
                                      read += parts.size();
                                      job_.show_progress("nodes", read, share_.count(), "nodes");
                                    });
    }
    return sum;
  }
  /// Shares of different files would make an assignment that nobody asked for.
  void require_same_beginning(const assigned_file& file) const {
    digest64 said;
    const std::uint64_t bytes = file.bytes().size();
    said.update(std::as_bytes(std::span(&bytes, 1)));
    said.update(file.bytes().first(std::min<std::size_t>(file.bytes().size(), 4096)));
    require_same_assignment(said.value());
  }
  void require_same_assignment(std::uint64_t said) const {
    require_same(job_.ranks, said, "reads another assignment than",
                 "its files must be the same for all ranks");
  }

  /// Write the mapping into the folder of all ranks, each its share, or into each rank's own.
  void write_mapping(const node_numbers<Node>& numbers) {
    const auto open = [&](bool create) {
      return mapping_writer(job_.output.path(), job_.mapping_name(), job_.parts, job_.num_nodes(),
                            create);
    };
    if (job_.several_ranks() && job_.options.own_folders) {
      mapping_writer all = open(true);
      std::uint64_t sum = 0;
      for (std::size_t t = 0; t < types(); ++t) {
        const std::uint64_t nodes = job_.input.node_counts[t], before = job_.node_offsets[t];
        if (nodes == 0) continue;
        open_file(t).template read_nodes<std::int32_t>(
            {}, {0, nodes}, job_.run,
            [&](std::span<const std::int32_t> parts, std::uint64_t first) {
              all.write(before + first, parts);
              sum += assignment_sum(before + first, parts);
            });
      }
      all.finish();
      return require_same_assignment(sum);
    }
    std::optional<mapping_writer> own;
    if (job_.output.owns_folder()) own.emplace(open(true));
    check_peers(job_.ranks);  // the file exists
    if (!own) own.emplace(open(false));
    for (std::size_t t = 0; t < types(); ++t)
      own->write(job_.node_offsets[t] + share_.rows(t).begin, numbers.parts_of(t));
    own->finish();
    check_peers(job_.ranks);  // it is complete
  }

  /// Read the assignment, number the nodes and complete the stage. Inside run_collective().
  void number() {
    node_numbers<Node> numbers(job_.output.scratch(), job_.input.node_counts, job_.parts, share_,
                               job_.nodes);
    std::array<std::uint64_t, 1> sum{read_parts(numbers)};
    check_peers(job_.ranks);
    check_ranks(job_.ranks.sum(sum));
    if (mapping_) write_mapping(numbers);
    numbers.bound(job_.ranks);
    take_bounds();
    if (job_.several_ranks())
      numbers.number(job_.ranks, job_.shares, job_.keeps_all_original_nodes(),
                     job_.buffers.exchange_bytes, job_.memory());
    else
      numbers.number();
    stage_record stage{"nodes", {{"nodes", job_.num_nodes()}, {"assignment", sum[0]}}, {}, {}};
    const auto bounds = std::as_const(job_.nodes).bounds.values();
    for (std::size_t t = 0; t < types(); ++t) {
      std::uint64_t count = 0;
      for (std::size_t p = 0; p < job_.parts; ++p)
        count += bounds[p * types() + t + 1] - bounds[p * types() + t];
      require_equal(count, job_.input.node_counts[t],
                    "nodes of type " + graph_schema::quoted(job_.input.schema.node_types()[t]));
      stage.counts.emplace_back(concat({"type", t}), count);
    }
    job_.add_file(stage, job_.nodes.old_node, "old_node");
    job_.add_file(stage, job_.nodes.new_node, "new_node");
    job_.add_file(stage, job_.nodes.bounds, "node_bounds");
    if (mapping_ && job_.output.owns_folder())
      stage.files.push_back(
          digest_file(concat({job_.output.path(), "/", job_.mapping_name()}), job_.mapping_name()));
    job_.stages.complete(std::move(stage));
  }

  dispatch_job<Node, Edge>& job_;
  bool mapping_;
  row_readers share_;
};

}  // namespace halograph::detail

#if !HALOGRAPH_COMPILED
#include <halograph/pipeline/out_of_core/impl/nodes.ipp>
#endif
