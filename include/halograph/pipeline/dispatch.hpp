// SPDX-License-Identifier: BSL-1.0
/// @file dispatch.hpp
/// From a chunked graph and an assignment to partition folders, within a memory budget, however large the graph.
/// Layer: pipeline. Words: README.md.
///
/// | stage | reads | leaves in the staging folder | header |
/// | --- | --- | --- | --- |
/// | nodes | assignment files | nodes in new order | dispatch_nodes.hpp |
/// | edges, rows | edge files | rows by target, new edge IDs | dispatch_edges.hpp |
/// | cut | rows | cut edges by source (not where only in-edges are held) | dispatch_edges.hpp |
/// | parts | rows, cut edges | everything of each part but rows of features | part.hpp |
/// | features | feature files | rows of features | dispatch_features.hpp |
///
/// Each stage counts what it received and what it passes on, and notes that it is complete (stages.hpp): a run that was
/// killed goes on behind the last complete stage, and behind the last complete part. What is written is what
/// partition_graph writes of the same graph, assignment and options, byte for byte, whatever the chunks and the budget.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/version.hpp>
#include <halograph/pipeline/chunked_graph.hpp>
#include <halograph/pipeline/config.hpp>
#include <halograph/pipeline/copy_script.hpp>
#include <halograph/pipeline/dispatch_budget.hpp>
#include <halograph/pipeline/dispatch_edges.hpp>
#include <halograph/pipeline/dispatch_features.hpp>
#include <halograph/pipeline/dispatch_nodes.hpp>
#include <halograph/pipeline/folders.hpp>
#include <halograph/pipeline/ip_config.hpp>
#include <halograph/pipeline/part.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/pipeline/report.hpp>
#include <halograph/pipeline/stages.hpp>
#include <halograph/serial/folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/scratch.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

/// Which edges and nodes a part holds besides its own.
enum class dispatch_halo : std::uint8_t {
  full,  ///< as partition_graph: also the out-edges of inner nodes; HALO nodes as found
  in     ///< as DGL's dispatch pipeline: in-edges alone; HALO nodes ascend, there are types always and no owners
};

/// What to make of a chunked graph and its assignment.
struct dispatch_options {
  std::string graph_name{};           ///< "": the input's
  unsigned hops = 1;
  dispatch_halo halo = dispatch_halo::full;
  bool drop_cut_edges = false;        ///< with 0 hops: leave cut edges out instead of failing
  bool store_original_ids = false;    ///< `orig_id` columns in the part graphs
  bool save_original_nodes = false;   ///< an `orig_nids` file in every part
  bool save_original_edges = false;   ///< an `orig_eids` file in every part
  sparse_formats formats{};
  std::string part_method{};          ///< what the config calls the method; "": "given", with dispatch_halo::in "metis"
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< budget of anonymous memory
  bool resume = false;                ///< go on where a run of the same job ended that was killed, or failed for want of room
  std::vector<machine> machines{};    ///< part p goes to machine p mod machines; with a script that copies (copy_script.hpp)
  json::value command{};              ///< how the result was made, for the manifest
  std::function<void(const dispatch_need&)> on_need{};  ///< told before anything is read
  progress_callback on_progress{};
};

/// What dispatch did.
struct dispatch_result {
  partition_config config{};
  quality_report report{};            ///< parts, directed cut, replication; the other measures take the whole graph
  dispatch_need need{};
  std::uint64_t peak_anonymous_bytes = 0; ///< of the process, measured at every report of progress; 0: the system does not say
  std::vector<std::string> resumed{}; ///< stages that an earlier run had completed
  std::vector<std::string> notes{};
};

namespace detail {

/// What dispatch knows of a feature before it reads a row.
struct described_rows {
  dtype element = dtype::float32;
  tensor_shape row{};
  std::uint64_t count = 0;

  dtype type() const noexcept { return element; }
  std::uint64_t rows() const noexcept { return count; }
  std::span<const std::uint64_t> row_shape() const noexcept { return row; }
  status gather(std::span<const std::uint64_t>, std::span<std::byte>) const noexcept { return status::unsupported; }
};

/// The folder that a dispatch target stands for, and its format.
struct dispatch_target {
  std::string path{};
  std::string serializer{};
  std::function<part_layout(const part_plan&)> layout{};
  dispatch_target format() const { return *this; }
};

/// One run at one width.
template <id Node, id Edge, class Input, executor Executor>
class dispatcher {
 public:
  dispatcher(const Input& input, const std::string& assignment, part_id parts, const dispatch_target& target, const dispatch_options& options,
             const Executor& run)
      : input_(input), assignment_(assignment), parts_(parts), target_(target), options_(options), run_(run),
        node_offsets_(offsets_of(input.node_counts)), edge_offsets_(offsets_of(input.edge_counts)) {
    describe_features(input.node_features, features_.nodes);
    describe_features(input.edge_features, features_.edges);
    name_ = options.graph_name.empty() ? input.name : options.graph_name;
    partition_options_.graph_name = name_;
    partition_options_.formats = options.formats;
    partition_options_.store_original_ids = options.store_original_ids;
    partition_options_.save_mapping = options.save_original_nodes || options.save_original_edges;
  }

  dispatch_result go() {
    check_options();
    result_.need = plan_dispatch_memory(counts(), options_.memory_bytes);
    if (options_.on_need) options_.on_need(result_.need);
    require_budget(result_.need);
    use_ = result_.need.buffers;

    staged_folder output(target_.path, options_.resume ? leftovers::keep : leftovers::remove);
    try {
      begin(output);
      step_clock clock(result_.report, options_.on_progress);
      clock.run("nodes", [&] { assign_nodes(); });
      clock.run("edges", [&] { sort_edges(); });
      clock.run("cut", [&] { group_cut_edges(); });
      describe_partition(result_.config, result_.report, plan(), input_.schema);
      clock.run("parts", [&] { write_parts(output); });
      clock.run("features", [&] { write_features(output); });
      clock.run("finish", [&] { finish(output); });
    } catch (const error& problem) {
      // What fails for the input's sake fails again; what fails for want of room may be gone on with.
      const bool room = problem.code() == errc::io || problem.code() == errc::memory || problem.code() == errc::cancelled;
      if (!stages_) throw;  // refused: what an earlier run left stays
      if (!room || stages_->empty()) {
        output.let_go();
        throw;
      }
      raise(problem.code(), problem.message() + "; what is complete is kept, resume goes on from there", problem.where());
    }
    return std::move(result_);
  }

 private:
  using columns = part_columns<Node, Edge>;
  using writer = partition_writer<Node, Edge, described_rows, dispatch_target, Executor>;

  static void describe_features(const std::vector<chunked_feature>& all, std::vector<feature<described_rows>>& out) {
    for (const auto& one : all) out.push_back({one.type, one.name, {one.dtype, one.row_shape, one.rows}});
  }

  void check_options() {
    if (auto warning = check_graph_name(name_); !warning.empty()) result_.notes.push_back(std::move(warning));
    if (options_.hops > max_halo_hops) raise(errc::out_of_range, std::to_string(options_.hops) + " hops are more than any graph needs; ask for at most " + std::to_string(max_halo_hops));
    if (options_.formats.empty()) raise(errc::invalid_argument, "no sparse format is asked for; name at least one of coo, csr, csc");
    if (parts_ == 0 || parts_ > 0x7FFFFFFFu) raise(errc::invalid_argument, "there must be 1 to 2147483647 parts, not " + std::to_string(parts_));
    if (!options_.machines.empty()) check_machines(options_.machines, parts_, {});
    if (options_.halo == dispatch_halo::in && name_ == "metadata") raise(errc::invalid_argument, "with in-edges alone \"metadata.json\" is a second config; the graph must have another name");
    const std::uint64_t nodes = node_offsets_.back(), edges = edge_offsets_.back();
    if (nodes >= id_capacity<Node>() || edges >= id_capacity<Edge>()) {
      raise(errc::overflow, "the graph has " + std::to_string(nodes) + " nodes and " + std::to_string(edges) + " edges, more than its IDs can number; use wider ones");
    }
  }

  dispatch_counts counts() const {
    dispatch_counts out;
    out.nodes = node_offsets_.back();
    out.edges = edge_offsets_.back();
    out.node_types = input_.node_counts.size();
    out.edge_types = input_.edge_counts.size();
    out.parts = parts_;
    out.threads = std::max<std::size_t>(run_.concurrency(), 1);
    out.node_id_bytes = sizeof(Node);
    out.edge_id_bytes = sizeof(Edge);
    out.node_features = input_.node_features.size();
    out.edge_features = input_.edge_features.size();
    for (const auto& one : input_.node_features) out.node_row_bytes = std::max<std::uint64_t>(out.node_row_bytes, one.row_bytes());
    for (const auto& one : input_.edge_features) {
      out.edge_row_bytes = std::max<std::uint64_t>(out.edge_row_bytes, one.row_bytes());
      out.edge_feature_bytes = std::max<std::uint64_t>(out.edge_feature_bytes, one.row_bytes() * one.rows);
    }
    return out;
  }

  /// What decides the result, on one line: another job cannot be resumed as this one.
  std::string job() const {
    json::value inputs{json::array{}};
    const auto add = [&](const std::string& path) {
      std::error_code problem;
      const auto bytes = std::filesystem::file_size(path, problem);
      const auto time = std::filesystem::last_write_time(path, problem).time_since_epoch().count();
      inputs.push(json::object{{"path", path}, {"bytes", problem ? 0 : static_cast<std::uint64_t>(bytes)}, {"time", problem ? std::string() : std::to_string(time)}});
    };
    for (const auto& type : input_.schema.node_types()) add(assignment_file(assignment_, type));
    for (const auto& list : input_.edges) {
      for (const auto& file : list.files) add(file.path);
    }
    for (const auto* all : {&input_.node_features, &input_.edge_features}) {
      for (const auto& one : *all) {
        inputs.push(json::object{{"type", std::uint64_t{one.type}}, {"feature", one.name}, {"dtype", std::string(name(one.dtype))}, {"row", to_string(one.row_shape)}});
        for (const auto& file : one.list.files) add(file.path);
      }
    }
    json::value nodes{json::array{}}, edges{json::array{}};
    for (std::size_t t = 0; t < input_.node_counts.size(); ++t) nodes.push(json::object{{"name", input_.schema.node_types()[t]}, {"count", input_.node_counts[t]}});
    for (std::size_t r = 0; r < input_.edge_counts.size(); ++r) edges.push(json::object{{"name", input_.schema.edge_types()[r].str()}, {"count", input_.edge_counts[r]}});
    return json::print(json::object{{"version", HALOGRAPH_VERSION_STRING},
                                    {"name", name_},
                                    {"parts", std::uint64_t{parts_}},
                                    {"hops", std::uint64_t{options_.hops}},
                                    {"halo", options_.halo == dispatch_halo::full ? "full" : "in"},
                                    {"drop_cut_edges", options_.drop_cut_edges},
                                    {"store_original_ids", options_.store_original_ids},
                                    {"save_original_nodes", options_.save_original_nodes},
                                    {"save_original_edges", options_.save_original_edges},
                                    {"formats", options_.formats.str()},
                                    {"machines", std::uint64_t{options_.machines.size()}},
                                    {"serializer", target_.serializer},
                                    {"layout", sample_layout()},
                                    {"id_bytes", std::uint64_t{sizeof(Node) * 16 + sizeof(Edge)}},
                                    {"nodes", std::move(nodes)},
                                    {"edges", std::move(edges)},
                                    {"inputs", std::move(inputs)}},
                       0);
  }
  /// The names that the format gives to files.
  std::string sample_layout() const {
    std::string out;
    part_plan sample;
    sample.mapping = true;
    for (const auto& file : target_.layout(sample).files) out += (out.empty() ? "" : ",") + file.name;
    return out;
  }

  void begin(staged_folder& output) {
    staging_ = output.path();
    folder_ = staging_ + "/scratch";
    stages_.emplace(staging_, job(), options_.resume);
    output.keep();
    std::error_code problem;
    std::filesystem::create_directories(folder_, problem);
    if (problem) raise_io(folder_, "create the folder", problem.value());
    memory_.emplace(folder_, ~std::uint64_t{0});
    output.working("scratch");
    output.working(std::string(stages_name));
  }

  void tell(std::string_view step, std::uint64_t done, std::uint64_t total, std::string_view unit) {
    const std::uint64_t now = anonymous_resident_bytes();
    if (now > result_.peak_anonymous_bytes) result_.peak_anonymous_bytes = now;
    if (options_.on_progress) options_.on_progress({step, done, total, unit});
  }

  /// A stage that an earlier run completed; what comes behind a stage that is done anew is done anew, too.
  const stage_record* completed(const std::string& name) {
    if (anew_) return nullptr;
    const auto* const found = stages_->completed(name);
    if (found == nullptr) anew_ = true;
    else result_.resumed.push_back(name);
    return found;
  }
  template <class T>
  void note_file(stage_record& stage, const scratch_array<T>& array, const char* file) {
    stage.files.push_back({array.digest(), array.values().size_bytes(), std::string("scratch/") + file});
  }
  void require_equal(std::uint64_t got, std::uint64_t want, const std::string& what) const {
    if (got != want) raise(errc::internal, what + ": " + std::to_string(got) + " of " + std::to_string(want) + " arrived");
  }

  // --- nodes ---

  void assign_nodes() {
    const std::uint64_t nodes = node_offsets_.back(), cells = std::uint64_t{parts_} * input_.node_counts.size();
    if (completed("nodes") == nullptr) {
      std::uint64_t read = 0;
      relabel_nodes_to_files<Node>(folder_, input_.node_counts, parts_, [&](std::size_t t, std::span<part_id> owner) {
        if (owner.empty()) return;
        const auto& type = input_.schema.node_types()[t];
        for_each_part_assigned(assignment_file(assignment_, type), type, owner.size(), std::int64_t{parts_} - 1, input_.opener(), run_,
                               [&](std::span<const std::int32_t> some, std::uint64_t first) {
                                 for (std::size_t i = 0; i < some.size(); ++i) owner[static_cast<std::size_t>(first) + i] = static_cast<part_id>(some[i]);
                                 read += some.size();
                                 tell("nodes", read, nodes, "nodes");
                               });
      }, &*memory_, nodes_);
      stage_record stage{"nodes", {{"nodes", nodes}}, {}};
      const auto bounds = nodes_.bounds.values();
      for (std::size_t t = 0; t < input_.node_counts.size(); ++t) {
        std::uint64_t count = 0;
        for (std::size_t p = 0; p < parts_; ++p) {
          const std::size_t cell = p * input_.node_counts.size() + t;
          count += bounds[cell + 1] - bounds[cell];
        }
        require_equal(count, input_.node_counts[t], "nodes of type " + graph_schema::quoted(input_.schema.node_types()[t]));
        stage.counts.emplace_back("type" + std::to_string(t), count);
      }
      note_file(stage, nodes_.old_node, "old_node");
      note_file(stage, nodes_.bounds, "node_bounds");
      stages_->complete(std::move(stage));
    }
    nodes_.open(folder_, nodes, cells);
    part_begin_.resize(std::size_t{parts_} + 1);
    const auto bounds = std::as_const(nodes_).bounds.values();
    for (std::size_t p = 0; p <= parts_; ++p) part_begin_[p] = bounds[p * input_.node_counts.size()];
  }

  // --- edges ---

  csc_view<Node, Edge> rows() const { return {edges_.offsets.values(), edges_.sources.values()}; }

  void sort_edges() {
    const std::uint64_t nodes = node_offsets_.back(), edges = edge_offsets_.back();
    const std::uint64_t cells = std::uint64_t{parts_} * input_.edge_counts.size();
    const auto* done = completed("edges");
    if (done == nullptr) {
      using record = travelling_edge<Node, Edge>;
      const bucket_ranges ranges(nodes, use_.buckets);
      spill_buckets spill(folder_ + "/buckets", ranges.count, sizeof(record), static_cast<std::size_t>(use_.bucket_bytes), &*memory_);
      std::uint64_t sum = 0;
      {
        const auto fresh = new_nodes(nodes_, &*memory_);
        sum = edges_to_buckets<Node, Edge>(input_, std::span<const Node>(fresh), ranges, spill, use_, &*memory_, run_,
                                           [&](std::uint64_t seen) { tell("edges", seen, edges, "edges"); });
        spill.finish();
      }
      edges_.offsets = scratch_array<Edge>::create(folder_ + "/offsets", nodes + 1);
      edges_.sources = scratch_array<Node>::create(folder_ + "/sources", edges);
      edges_.old_edge = scratch_array<Edge>::create(folder_ + "/old_edge", edges);
      const auto sources = edges_.sources.values();
      const auto old_edge = edges_.old_edge.values();
      tell("rows", 0, edges, "edges");
      rows_from_buckets<record>(spill, ranges, edges_.offsets.values(), use_.window_bytes, &*memory_, run_, [](const record& one) { return one.target; },
                                [&](std::size_t at, const record& one) {
                                  sources[at] = one.source;
                                  old_edge[at] = one.edge;
                                },
                                [&](std::uint64_t seen) { tell("rows", seen, edges, "edges"); });
      number_edges(sum);
      done = &note_edges();
    }
    edges_.offsets = scratch_array<Edge>::open(folder_ + "/offsets", nodes + 1);
    edges_.sources = scratch_array<Node>::open(folder_ + "/sources", edges);
    edges_.old_edge = scratch_array<Edge>::open(folder_ + "/old_edge", edges);
    edges_.new_edge = scratch_array<Edge>::open(folder_ + "/new_edge", edges);
    edges_.bounds = scratch_array<std::uint64_t>::open(folder_ + "/edge_bounds", cells + 1);
    edges_.cut_edges = done->count("cut_edges");
    edges_.dropped = done->count("dropped");
    if (options_.hops == 0 && edges_.cut_edges != 0 && !options_.drop_cut_edges) {
      raise(errc::cut_edges, "0 hops cannot keep the " + std::to_string(edges_.cut_edges) + " edges that cross parts; ask for 1 hop or more, or for dropping them");
    }
  }

  /// New edge IDs; proves on the way that the rows hold the edges that were read.
  void number_edges(std::uint64_t sum) {
    const auto sorted = rows();
    const auto old_edge = std::as_const(edges_).old_edge.values();
    const std::span<const std::uint64_t> part_begin(part_begin_);
    std::atomic<std::uint64_t> found = 0, cut = 0;
    run_.parallel_for(0, parts_, 1, [&](std::size_t first, std::size_t last) {
      std::uint64_t here = 0, crossing = 0;
      for (std::size_t p = first; p < last; ++p) {
        const std::uint64_t begin = part_begin[p], size = part_begin[p + 1] - begin;
        for (std::uint64_t v = begin; v < begin + size; ++v) {
          sorted.for_each_in_edge(v, [&](Node u, Edge k) {
            here += edge_sum(static_cast<Node>(v), u, old_edge[index(k)]);
            crossing += static_cast<std::uint64_t>(u) - begin >= size ? 1u : 0u;
          });
        }
      }
      found += here;
      cut += crossing;
    });
    if (found != sum) raise(errc::internal, "the rows do not hold the edges that were read: their sums differ");
    edges_.cut_edges = cut;
    const bool drop = options_.hops == 0 && options_.drop_cut_edges && cut != 0;
    edges_.dropped = drop ? edges_.cut_edges : 0;
    edges_.new_edge = scratch_array<Edge>::create(folder_ + "/new_edge", edge_offsets_.back());
    edges_.bounds = scratch_array<std::uint64_t>::create(folder_ + "/edge_bounds", std::uint64_t{parts_} * input_.edge_counts.size() + 1);
    check(relabel_edges_into(sorted, std::span<const part_id>(), std::span<const Node>(), part_begin, std::span<const std::uint64_t>(edge_offsets_),
                             [&](auto position) { return static_cast<std::uint64_t>(old_edge[index(position)]); }, drop, edges_.bounds.values(),
                             edges_.new_edge.values(), run_),
          "edges cannot be numbered");
  }

  const stage_record& note_edges() {
    const std::size_t types = input_.edge_counts.size();
    stage_record stage{"edges", {{"edges", edge_offsets_.back()}, {"cut_edges", edges_.cut_edges}, {"dropped", edges_.dropped}}, {}};
    const auto bounds = edges_.bounds.values();
    std::uint64_t kept = 0;
    for (std::size_t r = 0; r < types; ++r) {
      std::uint64_t count = 0;
      for (std::size_t p = 0; p < parts_; ++p) count += bounds[p * types + r + 1] - bounds[p * types + r];
      if (edges_.dropped == 0) require_equal(count, input_.edge_counts[r], "edges of type " + graph_schema::quoted(input_.schema.edge_types()[r].str()));
      stage.counts.emplace_back("type" + std::to_string(r), count);
      kept += count;
    }
    require_equal(kept + edges_.dropped, edge_offsets_.back(), "edges");
    note_file(stage, edges_.offsets, "offsets");
    note_file(stage, edges_.sources, "sources");
    note_file(stage, edges_.old_edge, "old_edge");
    note_file(stage, edges_.new_edge, "new_edge");
    note_file(stage, edges_.bounds, "edge_bounds");
    return stages_->complete(std::move(stage));
  }

  void group_cut_edges() {
    if (options_.hops == 0 || options_.halo == dispatch_halo::in) return;
    if (completed("cut") == nullptr) {
      const auto count = cut_edges_to_files<Node, Edge>(folder_, rows(), part_begin_, use_, &*memory_, run_, edges_);
      require_equal(count, edges_.cut_edges, "cut edges");
      stage_record stage{"cut", {{"cut_edges", count}}, {}};
      note_file(stage, edges_.cut_offsets, "cut_offsets");
      note_file(stage, edges_.cut_targets, "cut_targets");
      note_file(stage, edges_.cut_positions, "cut_positions");
      stages_->complete(std::move(stage));
    }
    edges_.cut_offsets = scratch_array<Edge>::open(folder_ + "/cut_offsets", node_offsets_.back() + 1);
    edges_.cut_targets = scratch_array<Node>::open(folder_ + "/cut_targets", edges_.cut_edges);
    edges_.cut_positions = scratch_array<Edge>::open(folder_ + "/cut_positions", edges_.cut_edges);
  }

  // --- parts ---

  partition_plan_view<Node, Edge> plan() const {
    return {parts_, true, node_offsets_, edge_offsets_, nodes_.bounds.values(), edges_.bounds.values(), part_begin_, nodes_.old_node.values(), rows(),
            edges_.old_edge.values(), edges_.new_edge.values(), {edges_.cut_offsets.values(), edges_.cut_targets.values(), edges_.cut_positions.values()},
            edges_.cut_edges, edges_.dropped};
  }

  part_layout layout_of(const writer& describes, const partition_plan_view<Node, Edge>& plan, part_plan counts) const {
    part_plan all = describes.describe(plan, std::move(counts));
    if (options_.halo == dispatch_halo::in) {
      all.types = true;
      all.part_ids = false;
    }
    part_layout layout = target_.layout(all);
    // The two files of a mapping are asked for apart.
    const auto leave_out = [&](std::string& file) {
      std::erase_if(layout.files, [&](const file_layout& one) { return one.name == file; });
      file.clear();
    };
    if (!options_.save_original_nodes) leave_out(layout.original_nodes_file);
    if (!options_.save_original_edges) leave_out(layout.original_edges_file);
    return layout;
  }
  part_plan counts_of(std::size_t p, const stage_record& stage) const {
    part_plan out;
    out.part = static_cast<part_id>(p);
    out.parts = parts_;
    out.inner_nodes = stage.count("inner_nodes");
    out.nodes = out.inner_nodes + stage.count("halo_nodes");
    out.inner_edges = stage.count("inner_edges");
    out.edges = out.inner_edges + stage.count("halo_edges");
    return out;
  }
  static bool holds_rows(const file_layout& file) {
    return std::any_of(file.sections.begin(), file.sections.end(),
                       [](const section& one) { return one.what == column::node_feature || one.what == column::edge_feature; });
  }

  void write_parts(staged_folder& output) {
    const auto shared = plan();
    const writer describes(input_.schema, features_, target_, partition_options_, run_);
    auto& report = result_.report;
    report.parts.resize(parts_);
    result_.config.parts.resize(parts_);
    std::vector<std::size_t> todo;
    for (std::size_t p = 0; p < parts_; ++p) {
      const stage_record* const stage = anew_ ? nullptr : stages_->completed("part" + std::to_string(p));
      if (stage == nullptr) {
        todo.push_back(p);
        continue;
      }
      result_.resumed.push_back(stage->name);
      const auto layout = layout_of(describes, shared, counts_of(p, *stage));
      take_part(output, p, layout, *stage);
      for (const auto& file : layout.files) output.add(folder_of(p) + file.name);
    }
    // Rows of features lie in the files of parts: with a part anew, they are to be written again.
    anew_ = anew_ || !todo.empty();
    scratch_memory column_memory(folder_, use_.column_bytes);
    std::mutex mutex;
    std::uint64_t finished = parts_ - todo.size();
    const std::size_t at_once = static_cast<std::size_t>(use_.part_threads);
    const halo_options grow{options_.hops, options_.halo == dispatch_halo::full, options_.drop_cut_edges};
    std::atomic<std::size_t> next = 0;
    run_.parallel_for(0, std::min(at_once, todo.size()), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t lane = first; lane < last; ++lane) {
        auto one = std::make_unique<columns>(shared, &column_memory, &*memory_);
        for (std::size_t i = next++; i < todo.size(); i = next++) {
          const std::size_t p = todo[i];
          one->expand(p, grow, options_.halo == dispatch_halo::in ? halo_order::ascending : halo_order::discovered);
          const auto layout = layout_of(describes, shared, one->describe());
          stage_record stage{"part" + std::to_string(p), {}, {}};
          const auto& counted = one->report();
          stage.counts = {{"inner_nodes", counted.inner_nodes}, {"halo_nodes", counted.halo_nodes}, {"inner_edges", counted.inner_edges}, {"halo_edges", counted.halo_edges}};
          for (std::size_t hop = 0; hop < counted.halo_nodes_per_hop.size(); ++hop) {
            if (counted.halo_nodes_per_hop[hop] != 0) stage.counts.emplace_back("hop" + std::to_string(hop), counted.halo_nodes_per_hop[hop]);
          }
          const std::string folder = folder_of(p);
          write_part(layout, [&](const file_layout& file) { return output.create(folder + file.name, file.bytes); },
                     [&](auto& sink, const section& where) {
                       return where.what == column::node_feature || where.what == column::edge_feature ? status::ok : one->write(sink, where);
                     });
          for (const auto& file : layout.files) {
            if (!holds_rows(file)) stage.files.push_back(digest_file(staging_ + "/" + folder + file.name, folder + file.name));
          }
          const std::lock_guard lock(mutex);
          take_part(output, p, layout, stages_->complete(std::move(stage)));
          tell("parts", ++finished, parts_, "parts");
        }
      }
    });
    std::uint64_t nodes = 0, edges = 0;
    for (const auto& part : report.parts) {
      nodes += part.inner_nodes;
      edges += part.inner_edges;
    }
    require_equal(nodes, node_offsets_.back(), "nodes of all parts");
    require_equal(edges + edges_.dropped, edge_offsets_.back(), "edges of all parts");
  }

  static std::string folder_of(std::size_t p) { return "part" + std::to_string(p) + "/"; }

  void take_part(staged_folder& output, std::size_t p, const part_layout& layout, const stage_record& stage) {
    auto& part = result_.report.parts[p];
    part.inner_nodes = stage.count("inner_nodes");
    part.halo_nodes = stage.count("halo_nodes");
    part.inner_edges = stage.count("inner_edges");
    part.halo_edges = stage.count("halo_edges");
    part.halo_nodes_per_hop.assign(static_cast<std::size_t>(std::min<std::uint64_t>(options_.hops, node_offsets_.back())), 0);
    for (const auto& [key, value] : stage.counts) {
      std::uint64_t hop = 0;
      if (key.starts_with("hop") && parse_whole(std::string_view(key).substr(3), hop) && hop < part.halo_nodes_per_hop.size()) {
        part.halo_nodes_per_hop[static_cast<std::size_t>(hop)] = value;
      }
    }
    for (const auto& file : stage.files) output.know(file);
    const std::string folder = folder_of(p);
    const auto path = [&](const std::string& file) { return file.empty() ? std::string() : folder + file; };
    result_.config.parts[p] = {path(layout.graph_file), path(layout.node_feature_file), path(layout.edge_feature_file),
                               path(layout.original_nodes_file), path(layout.original_edges_file), ""};
  }

  // --- features ---

  void write_features(staged_folder& output) {
    const auto shared = plan();
    const writer describes(input_.schema, features_, target_, partition_options_, run_);
    write_all_rows(describes, shared, column::node_feature);
    write_all_rows(describes, shared, column::edge_feature);
    // Digests of the files that hold rows, now that they are whole.
    if (const auto* const done = completed("features"); done != nullptr && behind_all_parts("features")) {
      for (const auto& file : done->files) output.know(file);
      return;
    }
    stage_record stage{"features", {}, {}};
    for (std::size_t p = 0; p < parts_; ++p) {
      for (const auto& file : layout_of(describes, shared, counts_at(p)).files) {
        if (holds_rows(file)) stage.files.push_back(digest_file(staging_ + "/" + folder_of(p) + file.name, folder_of(p) + file.name));
      }
    }
    for (const auto& file : stages_->complete(std::move(stage)).files) output.know(file);
  }

  /// A part that was written again after rows went into its files has lost them.
  bool behind_all_parts(const std::string& stage) {
    for (std::size_t p = 0; p < parts_; ++p) {
      if (stages_->is_later("part" + std::to_string(p), stage)) {
        anew_ = true;
        return false;
      }
    }
    return true;
  }

  part_plan counts_at(std::size_t p) const {
    const auto& part = result_.report.parts[p];
    part_plan out;
    out.part = static_cast<part_id>(p);
    out.parts = parts_;
    out.inner_nodes = part.inner_nodes;
    out.nodes = part.inner_nodes + part.halo_nodes;
    out.inner_edges = part.inner_edges;
    out.edges = part.inner_edges + part.halo_edges;
    return out;
  }

  void write_all_rows(const writer& describes, const partition_plan_view<Node, Edge>& shared, column what) {
    const bool of_nodes = what == column::node_feature;
    const auto& all = of_nodes ? input_.node_features : input_.edge_features;
    if (all.empty()) return;
    const std::string step = of_nodes ? "node features" : "edge features";
    std::vector<const chunked_feature*> todo;
    std::vector<std::size_t> items;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto stage = (of_nodes ? "node_feature" : "edge_feature") + std::to_string(i);
      if (completed(stage) == nullptr || !behind_all_parts(stage)) {
        todo.push_back(&all[i]);
        items.push_back(i);
      }
    }
    if (todo.empty()) return;
    std::vector<feature_places> places(all.size());
    std::vector<std::string> paths(parts_);
    for (std::size_t p = 0; p < parts_; ++p) {
      for (const auto& file : layout_of(describes, shared, counts_at(p)).files) {
        for (const auto& one : file.sections) {
          if (one.what != what) continue;
          places[one.item].sections.resize(parts_);
          places[one.item].sections[p] = one;
          paths[p] = staging_ + "/" + folder_of(p) + file.name;
        }
      }
    }
    open_files files(std::move(paths));
    std::pmr::vector<Node> fresh(&*memory_);
    scratch_array<Edge> edge_place;
    if (of_nodes) fresh = new_nodes(nodes_, &*memory_);
    std::vector<stage_record> unnoted;
    std::uint64_t unsynced = 0, before = 0, total = 0;  // bytes
    for (const auto* one : todo) total += one->rows * one->row_bytes();
    if (!of_nodes) edge_place = edge_places_to_file<Node, Edge>(folder_, shared, use_, &*memory_, run_);
    for (std::size_t i = 0; i < todo.size(); ++i) {
      const chunked_feature& one = *todo[i];
      auto& place = places[items[i]];
      place.row_elements = element_count(one.row_shape);
      std::uint64_t rows = one.rows;
      const auto told = [&](std::uint64_t done) { tell(step, before + done * one.row_bytes(), total, "bytes"); };
      if (one.row_bytes() != 0 && one.rows != 0) {
        const std::uint64_t first = (of_nodes ? node_offsets_ : edge_offsets_)[one.type];
        if (of_nodes) {
          rows = node_rows_to_parts<Node, Edge>(input_, one, shared, std::span<const Node>(fresh).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(one.rows)),
                                                place, files, use_.part_row_bytes, &*memory_, told);
          require_equal(rows, one.rows, "rows of node feature " + graph_schema::quoted(one.name));
        } else {
          rows = edge_rows_to_parts<Node, Edge>(input_, one, shared, std::as_const(edge_place).values().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(one.rows)),
                                                place, files, folder_, use_, &*memory_, told);
          std::uint64_t kept = 0;
          for (std::size_t p = 0; p < parts_; ++p) kept += shared.edges(p, one.type).size();
          require_equal(rows, kept, "rows of edge feature " + graph_schema::quoted(one.name));
        }
      }
      unnoted.push_back({(of_nodes ? "node_feature" : "edge_feature") + std::to_string(items[i]), {{"rows", rows}, {"bytes", rows * one.row_bytes()}}, {}});
      before += one.rows * one.row_bytes();
      // Rows must be on disk before it is noted that they are there; that takes its time for each file.
      unsynced += rows * one.row_bytes();
      if (unsynced < std::uint64_t{1} << 30 && i + 1 < todo.size()) continue;
      files.sync();
      for (auto& stage : unnoted) stages_->complete(std::move(stage));
      unnoted.clear();
      unsynced = 0;
    }
  }

  // --- the end ---

  void finish(staged_folder& output) {
    auto& config = result_.config;
    auto& report = result_.report;
    config.graph_name = name_;
    config.halo_hops = options_.hops;
    config.part_method = !options_.part_method.empty() ? options_.part_method : options_.halo == dispatch_halo::in ? "metis" : "given";
    config.serializer = target_.serializer;
    report.directed_cut = edges_.cut_edges;
    if (auto sentence = sum_up_parts(report); !sentence.empty()) result_.notes.push_back(std::move(sentence));
    const auto write = [&](const std::string& file, const std::string& text) {
      auto sink = output.create(file, text.size());
      sink.require(sink.write_at(0, std::as_bytes(std::span(text.data(), text.size()))));
      sink.sync();
      sink.close();
    };
    const std::string text = json::print(to_json(config));
    std::vector<std::string> shared{name_ + ".json"};
    if (options_.halo == dispatch_halo::in) shared.push_back("metadata.json");
    for (const auto& file : shared) write(file, text);
    if (!options_.machines.empty()) {
      shared.push_back(std::string(manifest_name));
      const std::string script(copy_script_name), path = staging_ + "/" + script;
      write(script, copy_script(options_.machines, parts_, shared));
      using std::filesystem::perms;
      std::error_code problem;
      std::filesystem::permissions(path, perms::owner_exec | perms::group_exec | perms::others_exec, std::filesystem::perm_options::add, problem);
      if (problem) raise_io(path, "make executable", problem.value());
    }
    nodes_ = {};
    edges_ = {};
    output.commit(options_.command);
    config.path = target_.path + "/" + name_ + ".json";
  }

  const Input& input_;
  std::string assignment_;
  part_id parts_;
  dispatch_target target_;
  const dispatch_options& options_;
  const Executor& run_;
  std::vector<std::uint64_t> node_offsets_, edge_offsets_, part_begin_{};
  basic_feature_set<described_rows> features_{};
  partition_options partition_options_{};
  std::string name_{}, staging_{}, folder_{};
  dispatch_buffers use_{};
  dispatch_result result_{};
  std::optional<stage_list> stages_{};
  std::optional<scratch_memory> memory_{};
  bool anew_ = false;  // a stage was done in this run
  dispatched_nodes<Node> nodes_{};
  dispatched_edges<Node, Edge> edges_{};
};

}  // namespace detail

/// Dispatch a chunked graph at a given width of IDs in memory and in scratch files.
/// @errors as dispatch(); overflow: the graph has more nodes or edges than the IDs can number
template <id Node, id Edge, class Input, class Target, executor Executor = sequential>
dispatch_result dispatch_at(const Input& input, const std::string& assignment, part_id parts, const Target& target,
                            const dispatch_options& options = {}, const Executor& run = {}) {
  const auto& format = target.format();
  const detail::dispatch_target erased{std::string(target.path), std::string(format.name()), [&format](const part_plan& plan) { return format.layout(plan); }};
  return detail::dispatcher<Node, Edge, Input, Executor>(input, assignment, parts, erased, options, run).go();
}

/// Dispatch a chunked graph: write the parts that an assignment makes of it.
///
/// @param input       an opened chunked graph (open_chunked)
/// @param assignment  folder with the part of each node, `<node type>.txt`
/// @param parts       the number of parts (resolve_num_parts, count_parts_assigned)
/// @param target      dgl_folder{path}, native_folder{path}, format_folder{path, one's own}
/// @param run         reads, sorts and writes; the bytes are the same for any
/// @errors            memory: the budget is too small, with the smallest that suffices, before anything is read; mismatch,
///                    out_of_range, malformed: what is wrong in which file and line; cut_edges (0 hops); mismatch: resumed with other
///                    options or inputs; busy and exists (the target); io. An earlier result stays in any case. What failed
///                    for want of room, or was cancelled by the progress callback, can be resumed
/// @complexity        O(bytes in and out) time, a few passes; anonymous memory within the budget
/// @repeatable        yes: a function of graph, assignment and options
template <class Input, class Target, executor Executor = sequential>
dispatch_result dispatch(const Input& input, const std::string& assignment, part_id parts, const Target& target,
                         const dispatch_options& options = {}, const Executor& run = {}) {
  if (input.num_nodes() < id_capacity<std::uint32_t>() && input.num_edges() < id_capacity<std::uint32_t>()) {
    return dispatch_at<std::uint32_t, std::uint32_t>(input, assignment, parts, target, options, run);
  }
  return dispatch_at<std::uint64_t, std::uint64_t>(input, assignment, parts, target, options, run);
}

}  // namespace halograph
