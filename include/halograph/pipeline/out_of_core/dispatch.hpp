// SPDX-License-Identifier: BSL-1.0
/// @file dispatch.hpp
/// From a chunked graph and an assignment to partition folders, within a memory budget, however
/// large the graph.
/// Layer: pipeline. Words: README.md.
///
/// | stage | reads | leaves in the staging folder | header |
/// | --- | --- | --- | --- |
/// | nodes | assignment files | nodes in new order; `owners.npy`, for the result | dispatch_nodes.hpp |
/// | edges, rows | edge files | rows by target, new edge IDs | dispatch_edges.hpp |
/// | cut | rows | cut edges by part of the source (not where only in-edges are held) | dispatch_edges.hpp, dispatch_ranks.hpp |
/// | parts | rows, cut edges | everything of each part but rows of features | part.hpp |
/// | features | feature files | rows of features | dispatch_features.hpp |
///
/// Each stage counts what it received and what it passes on, and notes that it is complete
/// (stages.hpp): a run that was killed goes on behind the last complete stage, and behind the last
/// complete part. What is written is what partition_graph writes of the same graph, assignment and
/// options, byte for byte, whatever the chunks and the budget.
///
/// Several ranks (core/communicator.hpp) share the work: each reads its share of the edges and
/// rows, and sends them to the rank that has the part they belong to (core/block_range.hpp), which
/// goes on with it alone. The bytes are those of one rank. What every rank does for itself: to read
/// the assignment, and to keep one table by node at a time. Ranks share one output folder, or have
/// each their own (dispatch_options::own_folders). What one rank fails with, all raise
/// (jointly.hpp).
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/progress.hpp>
#include <halograph/core/version.hpp>
#include <halograph/folder/config.hpp>
#include <halograph/folder/copy_script.hpp>
#include <halograph/folder/ip_config.hpp>
#include <halograph/folder/node_mapping.hpp>
#include <halograph/folder/quality_report.hpp>
#include <halograph/folder/targets.hpp>
#include <halograph/io/chunked/graph.hpp>
#include <halograph/pipeline/out_of_core/budget.hpp>
#include <halograph/pipeline/out_of_core/dispatch_edges.hpp>
#include <halograph/pipeline/out_of_core/dispatch_features.hpp>
#include <halograph/pipeline/out_of_core/dispatch_nodes.hpp>
#include <halograph/pipeline/out_of_core/dispatch_ranks.hpp>
#include <halograph/pipeline/part_columns.hpp>
#include <halograph/pipeline/partition_graph.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/folder.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/resident_memory.hpp>
#include <halograph/serial/serializer.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
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
  in,    ///< as DGL's dispatch pipeline: in-edges alone; HALO nodes ascend, there are types always
         ///< and no owners
  in_as_found  ///< in-edges alone, all else as full: what partition_graph writes without
               ///< closing_out_edges
};

/// What to make of a chunked graph and its assignment.
struct dispatch_options {
  std::string graph_name{};  ///< "": the input's
  unsigned hops = 1;
  dispatch_halo halo = dispatch_halo::full;
  bool drop_cut_edges = false;       ///< with 0 hops: leave cut edges out instead of failing
  bool store_original_ids = false;   ///< `orig_id` columns in the part graphs
  bool save_original_nodes = false;  ///< an `orig_nids` file in every part
  bool save_original_edges = false;  ///< an `orig_eids` file in every part
  bool compact_mapping = true;  ///< with several parts, `owners.npy`, from which original node IDs
                                ///< follow: node_mapping.hpp
  sparse_formats formats{};
  std::string part_method{};  ///< what the config calls the method; "": "given", with
                              ///< dispatch_halo::in "metis"
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< budget of anonymous memory
  bool keep_complete = true;  ///< where a run fails for want of room, or is canceled, leave what
                              ///< is complete to be gone on with
  /// Go on where a run of the same job ended that was killed, or failed for want of room; on as
  /// many ranks. Where no such run left anything, begin anew (dispatch_result::notes).
  bool resume = false;
  /// Several ranks: each puts its parts, with a config, into a folder of its own at the target's
  /// path. Their manifests say of which assignment they are: folders of different ones cannot be
  /// opened together.
  bool own_folders = false;
  std::vector<machine> machines{};  ///< part p goes to machine p mod machines; with a script that
                                    ///< copies (copy_script.hpp)
  json::value command{};            ///< how the result was made, for the manifest
  std::function<void(const dispatch_need&)> on_need{};  ///< told before anything is read
  progress_callback on_progress{};
};

/// What dispatch did.
struct dispatch_result {
  partition_config config{};
  quality_report
      report{};  ///< parts, directed cut, replication; the other measures take the whole graph
  dispatch_need need{};
  /// of the process that has most, measured as it goes on; 0: the system does not say
  std::uint64_t peak_anonymous_bytes = 0;
  std::vector<std::string> resumed{};  ///< stages that an earlier run had completed
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
  status gather(std::span<const std::uint64_t>, std::span<std::byte>) const noexcept {
    return status::unsupported;
  }
};

/// The folder that a dispatch target stands for, and its format.
struct dispatch_target {
  std::string path{};
  std::string serializer{};
  std::function<part_layout(const part_plan&)> layout{};
  dispatch_target format() const { return *this; }
};

/// One run at one width.
template <id Node, id Edge, class Input, executor Executor, communicator Ranks>
class dispatcher {
 public:
  dispatcher(const Input& input, const std::string& assignment, part_id parts,
             const dispatch_target& target, const dispatch_options& options, const Executor& run,
             const Ranks& ranks)
      : input_(input),
        assignment_(assignment),
        parts_(parts),
        target_(target),
        options_(options),
        run_(run),
        ranks_(ranks),
        node_offsets_(offsets_of(input.node_counts)),
        edge_offsets_(offsets_of(input.edge_counts)) {
    describe_features(input.node_features, features_.nodes);
    describe_features(input.edge_features, features_.edges);
    name_ = options.graph_name.empty() ? input.name : options.graph_name;
    partition_options_.graph_name = name_;
    partition_options_.formats = options.formats;
    partition_options_.store_original_ids = options.store_original_ids;
    partition_options_.save_mapping = options.save_original_nodes || options.save_original_edges;
  }

  dispatch_result go() {
    try {
      // Whatever a rank does between two calls of all of them is inside this.
      run_collective(ranks_, [&] {
        share_budget();
        begin();
        step_clock clock(result_.report, options_.on_progress);
        clock.run("nodes", [&] { assign_nodes(); });
        clock.run("edges", [&] { sort_edges(); });
        clock.run("cut", [&] { group_cut_edges(); });
        describe_partition(result_.config, result_.report, plan(), input_.schema);
        clock.run("parts", [&] { write_parts(); });
        clock.run("features", [&] { write_features(); });
        clock.run("finish", [&] { finish(); });
      });
    } catch (const error& problem) {
      // What fails for the input's sake fails again; what fails for want of room may be gone on
      // with, where all ranks have completed something.
      const bool room = options_.keep_complete &&
                        (problem.code() == errc::io || problem.code() == errc::memory ||
                         problem.code() == errc::canceled);
      const bool joint = dynamic_cast<const joint_error*>(&problem) != nullptr;
      bool begun = stages_ && !stages_->empty() && !(output_ && output_->in_place());
      if (output_ && stages_ && (!room || !begun))
        output_->let_go();  // refused: what an earlier run left stays
      if (joint) begun = !ask_ranks(ranks_, !begun, false).first;
      if (!room || !begun) throw;
      const std::string message = problem.message() +
                                  "; what is complete is kept, resume goes on from there";
      if (joint) throw joint_error(problem.code(), message, problem.where());
      raise(problem.code(), message, problem.where());
    }
    return std::move(result_);
  }

 private:
  using columns = part_columns<Node, Edge>;
  using writer = partition_writer<Node, Edge, described_rows, dispatch_target, Executor>;

  /// The same on every machine.
  static void update_little_endian(digest64& said, std::span<const std::int32_t> values) {
    if constexpr (std::endian::native == std::endian::little) {
      said.update(std::as_bytes(values));
    } else {
      std::vector<std::int32_t> swapped(values.begin(), values.end());
      const auto bytes = std::as_writable_bytes(std::span(swapped));
      swap_elements_to_little_endian(bytes, sizeof(std::int32_t));
      said.update(bytes);
    }
  }

  static void describe_features(const std::vector<chunked_feature>& all,
                                std::vector<feature<described_rows>>& out) {
    for (const auto& one : all)
      out.push_back({one.type, one.name, {one.dtype, one.row_shape, one.rows}});
  }

  void share_budget() {
    run_collective(ranks_, [&] {
      require_same_job();
      check_options();
      result_.need = plan_dispatch_memory(counts(), options_.memory_bytes);
      if (options_.on_need) options_.on_need(result_.need);
      require_budget(result_.need);
    });
    use_ = result_.need.buffers;
    slots_ = 2 * std::max<std::size_t>(run_.concurrency(), 1);
    if (several()) agree_on_buffers();
    // No more than there is to do.
    use_.block_edges = std::min<std::uint64_t>(
        use_.block_edges, edge_offsets_.back() / (slots_ * ranks_.size()) + 64);
  }

  /// Ranks that were asked different things would not meet in their rounds, or mix what they write.
  void require_same_job() const {
    if (!several()) return;
    require_same_input(ranks_, input_);
    json::value said = asked();
    said.set("part_method", options_.part_method).set("resume", options_.resume);
    std::string addresses;
    for (const auto& one : options_.machines) addresses += one.address + "\n";
    said.set("addresses", addresses);
    require_same(ranks_, json::print(said, 0), "dispatches with other options than",
                 "they must be the same on all ranks");
  }

  void check_options() {
    if (auto warning = check_graph_name(name_); !warning.empty())
      result_.notes.push_back(std::move(warning));
    if (options_.hops > max_halo_hops)
      raise(errc::out_of_range, std::to_string(options_.hops) +
                                    " hops are more than any graph needs; ask for at most " +
                                    std::to_string(max_halo_hops));
    if (options_.formats.empty())
      raise(errc::invalid_argument,
            "no sparse format is asked for; name at least one of coo, csr, csc");
    if (parts_ == 0 || parts_ > 0x7FFFFFFFu)
      raise(errc::invalid_argument,
            "there must be 1 to 2147483647 parts, not " + std::to_string(parts_));
    if (!options_.machines.empty()) check_machines(options_.machines, parts_, {});
    if (!options_.machines.empty() && options_.own_folders)
      raise(
          errc::invalid_argument,
          "with folders of the ranks' own there is nothing to copy to machines; give one or the other");
    if (options_.halo == dispatch_halo::in && name_ == "metadata")
      raise(
          errc::invalid_argument,
          "with in-edges alone \"metadata.json\" is a second config; the graph must have another name");
    reject_output_over_input(target_.path, assignment_);
    keep_files_of(target_.path, input_);
    const std::uint64_t nodes = node_offsets_.back(), edges = edge_offsets_.back();
    if (nodes >= id_capacity<Node>() || edges >= id_capacity<Edge>()) {
      raise(errc::overflow, "the graph has " + std::to_string(nodes) + " nodes and " +
                                std::to_string(edges) +
                                " edges, more than its IDs can number; use wider ones");
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
    out.ranks = ranks_.size();
    out.hops = options_.hops;
    out.node_id_bytes = sizeof(Node);
    out.edge_id_bytes = sizeof(Edge);
    out.node_features = input_.node_features.size();
    out.edge_features = input_.edge_features.size();
    for (const auto& one : input_.node_features)
      out.node_row_bytes = std::max<std::uint64_t>(out.node_row_bytes, one.row_bytes());
    for (const auto& one : input_.edge_features) {
      out.edge_row_bytes = std::max<std::uint64_t>(out.edge_row_bytes, one.row_bytes());
      out.edge_feature_bytes = std::max<std::uint64_t>(out.edge_feature_bytes,
                                                       one.row_bytes() * one.rows);
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
      inputs.push(json::object{{"path", path},
                               {"bytes", problem ? 0 : static_cast<std::uint64_t>(bytes)},
                               {"time", problem ? std::string() : std::to_string(time)}});
    };
    for (std::size_t t = 0; t < input_.node_counts.size(); ++t)
      add(assignment_file(assignment_, input_.schema.node_types(), t));
    for (const auto& list : input_.edges) {
      for (const auto& file : list.files) add(file.path);
    }
    for (const auto* all : {&input_.node_features, &input_.edge_features}) {
      for (const auto& one : *all) {
        inputs.push(json::object{{"type", std::uint64_t{one.type}},
                                 {"feature", one.name},
                                 {"dtype", std::string(name(one.dtype))},
                                 {"row", to_string(one.row_shape)}});
        for (const auto& file : one.list.files) add(file.path);
      }
    }
    json::value nodes{json::array{}}, edges{json::array{}}, out = asked();
    for (std::size_t t = 0; t < input_.node_counts.size(); ++t)
      nodes.push(
          json::object{{"name", input_.schema.node_types()[t]}, {"count", input_.node_counts[t]}});
    for (std::size_t r = 0; r < input_.edge_counts.size(); ++r)
      edges.push(json::object{{"name", input_.schema.edge_types()[r].str()},
                              {"count", input_.edge_counts[r]}});
    out.set("nodes", std::move(nodes))
        .set("edges", std::move(edges))
        .set("inputs", std::move(inputs));
    return json::print(out, 0);
  }
  /// The part of it that was asked for.
  json::value asked() const {
    return json::object{{"version", HALOGRAPH_VERSION_STRING},
                        {"name", name_},
                        {"parts", std::uint64_t{parts_}},
                        {"hops", std::uint64_t{options_.hops}},
                        {"halo", options_.halo == dispatch_halo::full ? "full"
                                 : options_.halo == dispatch_halo::in ? "in"
                                                                      : "in_as_found"},
                        {"drop_cut_edges", options_.drop_cut_edges},
                        {"store_original_ids", options_.store_original_ids},
                        {"save_original_nodes", options_.save_original_nodes},
                        {"save_original_edges", options_.save_original_edges},
                        {"compact_mapping", options_.compact_mapping},
                        {"formats", options_.formats.str()},
                        {"machines", std::uint64_t{options_.machines.size()}},
                        {"own_folders", options_.own_folders && several()},
                        {"serializer", target_.serializer},
                        {"layout", sample_layout()},
                        {"id_bytes", std::uint64_t{sizeof(Node) * 16 + sizeof(Edge)}}};
  }
  /// The names that the format gives to files.
  std::string sample_layout() const {
    std::string out;
    part_plan sample;
    sample.mapping = true;
    for (const auto& file : target_.layout(sample).files)
      out += (out.empty() ? "" : ",") + file.name;
    return out;
  }

  bool several() const noexcept { return ranks_.size() > 1; }
  /// Does this rank begin and commit a folder? The others put their files into the first one's.
  bool has_folder() const noexcept { return ranks_.rank() == 0 || options_.own_folders; }

  /// Rounds must be of one size everywhere.
  void agree_on_buffers() {
    use_.exchange_bytes = all_reduce_min(ranks_, use_.exchange_bytes);
    use_.block_edges = all_reduce_min(ranks_, use_.block_edges);
    slots_ = static_cast<std::size_t>(all_reduce_min(ranks_, slots_));
  }

  void begin_folder() try {
    output_.emplace(target_.path, options_.resume ? leftovers::keep : leftovers::remove);
  } catch (const error& problem) {
    if (problem.code() != errc::busy || !several() || !options_.own_folders) throw;
    raise(
        errc::busy,
        "another run is writing here, or another rank of this one; ranks with folders of their own need a place that no other rank sees",
        {.file = target_.path});
  }
  void begin() {
    run_collective(ranks_, [&] {
      if (has_folder()) begin_folder();
    });
    staging_ = output_ ? output_->path() : std::string();
    if (several() && !options_.own_folders) broadcast_text(ranks_, staging_, 0);
    folder_ = staging_ + "/scratch";
    if (several()) folder_ += "/rank" + std::to_string(ranks_.rank());
    const auto start_over = [&] {
      if (!output_ || !output_->start_over()) return;
      result_.notes.push_back(
          "there is nothing to resume: " + staging_ +
          " held no list of completed stages, so what lay there was removed and this run starts over");
    };
    const auto begin_stages = [&] {
      stages_.emplace(staging_, job(), options_.resume, ranks_.rank(), ranks_.size(), start_over);
    };
    // The first rank says whether there is something to resume before any other leaves a file.
    run_collective(ranks_, [&] {
      if (ranks_.rank() == 0) begin_stages();
    });
    run_collective(ranks_, [&] {
      if (!stages_) begin_stages();
      std::error_code problem;
      std::filesystem::create_directories(folder_, problem);
      if (problem) raise_io(folder_, "create the folder", problem.value());
      memory_.emplace(folder_, ~std::uint64_t{0});
      if (!output_) return;
      output_->keep();
    });
  }

  /// A new file of a part, in the folder that it belongs to.
  file_sink create(const std::string& name, std::uint64_t bytes) {
    if (output_) {
      output_->add(name);
    } else {
      std::error_code problem;
      const auto folder = staging_ + "/" + name.substr(0, name.rfind('/'));
      std::filesystem::create_directories(folder, problem);
      if (problem) raise_io(folder, "create the folder", problem.value());
    }
    return file_sink::create(staging_ + "/" + name, bytes);
  }
  void know(const manifest_entry& file) {
    if (several()) written_.push_back(file);
    if (output_) output_->know(file);
  }

  void measure_memory() {
    const std::uint64_t now = anonymous_resident_bytes();
    std::uint64_t before = peak_.load();
    while (now > before && !peak_.compare_exchange_weak(before, now)) {
    }
  }
  void tell(std::string_view step, std::uint64_t done, std::uint64_t total, std::string_view unit) {
    measure_memory();
    if (options_.on_progress) options_.on_progress({step, done, total, unit});
  }

  /// A stage that an earlier run completed; what comes behind a stage that is done anew is done
  /// anew, too. Of several ranks, all must have completed it.
  const stage_record* completed(const std::string& name) {
    if (rerun_from_here_) return nullptr;
    const stage_record* found = nullptr;
    run_collective(ranks_, [&] { found = stages_->completed(name); });
    if (several() && all_reduce_min(ranks_, found != nullptr ? 1 : 0) == 0) found = nullptr;
    if (found == nullptr)
      rerun_from_here_ = true;
    else
      result_.resumed.push_back(name);
    return found;
  }
  template <class T>
  void note_file(stage_record& stage, const scratch_array<T>& array, const char* file) {
    stage.files.push_back({array.digest(), array.values().size_bytes(),
                           folder_.substr(staging_.size() + 1) + "/" + file});
  }
  void require_equal(std::uint64_t got, std::uint64_t want, const std::string& what) const {
    if (got != want)
      raise(errc::internal,
            what + ": " + std::to_string(got) + " of " + std::to_string(want) + " arrived");
  }

  // --- nodes ---

  void assign_nodes() {
    const std::uint64_t nodes = node_offsets_.back(),
                        cells = std::uint64_t{parts_} * input_.node_counts.size();
    const auto* done = completed("nodes");
    if (done == nullptr)
      run_collective(ranks_, [&] {
        std::uint64_t read = 0;
        digest64 said;
        const auto read_owners = [&](std::size_t t, auto owner) {
          if (owner.empty()) return;
          const auto& type = input_.schema.node_types()[t];
          for_each_part_assigned(assignment_file(assignment_, input_.schema.node_types(), t), type,
                                 owner.size(), std::int64_t{parts_} - 1, input_.opener(), run_,
                                 [&](std::span<const std::int32_t> some, std::uint64_t first) {
                                   update_little_endian(said, some);
                                   for (std::size_t i = 0; i < some.size(); ++i) {
                                     owner[static_cast<std::size_t>(first) + i] =
                                         static_cast<typename decltype(owner)::value_type>(some[i]);
                                   }
                                   read += some.size();
                                   tell("nodes", read, nodes, "nodes");
                                 });
        };
        const auto keep = [&](auto owner) {
          if (writes_mapping() && output_) write_mapping(owner);
        };
        // No wider than they need be: this is the table that decides what memory suffices.
        if (owner_bytes(parts_) == 1)
          relabel_nodes_to_files<std::uint8_t>(folder_, input_.node_counts, parts_, read_owners,
                                               keep, &*memory_, nodes_);
        else if (owner_bytes(parts_) == 2)
          relabel_nodes_to_files<std::uint16_t>(folder_, input_.node_counts, parts_, read_owners,
                                                keep, &*memory_, nodes_);
        else
          relabel_nodes_to_files<part_id>(folder_, input_.node_counts, parts_, read_owners, keep,
                                          &*memory_, nodes_);
        stage_record stage{"nodes", {{"nodes", nodes}, {"assignment", said.value()}}, {}};
        const auto bounds = nodes_.bounds.values();
        for (std::size_t t = 0; t < input_.node_counts.size(); ++t) {
          std::uint64_t count = 0;
          for (std::size_t p = 0; p < parts_; ++p) {
            const std::size_t cell = p * input_.node_counts.size() + t;
            count += bounds[cell + 1] - bounds[cell];
          }
          require_equal(count, input_.node_counts[t],
                        "nodes of type " + graph_schema::quoted(input_.schema.node_types()[t]));
          stage.counts.emplace_back("type" + std::to_string(t), count);
        }
        note_file(stage, nodes_.old_node, "old_node");
        note_file(stage, nodes_.bounds, "node_bounds");
        if (writes_mapping() && output_)
          stage.files.push_back(digest_file(staging_ + "/" + mapping_name(), mapping_name()));
        done = &stages_->complete(std::move(stage));
      });
    run_collective(ranks_, [&] {
      digest_of_assignment_ = done->count("assignment");
      if (writes_mapping() && output_) {
        output_->add(mapping_name());
        output_->know(done->files.back());
      }
      // Ranks that read different ones would send edges to where nobody has their ends.
      require_same(ranks_, digest_of_assignment_, "reads another assignment than",
                   "its files must be the same for all ranks");
      nodes_.open(folder_, nodes, cells);
    });
    part_begin_.resize(std::size_t{parts_} + 1);
    const auto bounds = std::as_const(nodes_).bounds.values();
    for (std::size_t p = 0; p <= parts_; ++p)
      part_begin_[p] = bounds[p * input_.node_counts.size()];
    shares_ = rank_shares(part_begin_, ranks_.rank(), ranks_.size());
  }

  // The folder's mapping of nodes, which each rank that has a folder writes into its own.
  bool writes_mapping() const noexcept { return options_.compact_mapping && parts_ > 1; }
  static std::string mapping_name() { return std::string(node_mapping_name(original_order::name)); }
  template <class Owner>
  void write_mapping(std::span<const Owner> owner) const {
    const auto layout = npy_layout(mapping_name(), dtype_of<Owner>(), tensor_shape{owner.size()});
    auto sink = file_sink::create(staging_ + "/" + mapping_name(), layout.bytes);
    sink.require(write_literals(layout, sink));
    sink.require(write_as(sink, layout.sections.at(0), 0, owner));
    sink.sync();
    sink.close();
  }

  // --- edges ---

  csc_view<Node, Edge> rows() const { return {edges_.offsets.values(), edges_.sources.values()}; }

  void sort_edges() {
    const std::uint64_t nodes = node_offsets_.back(), edges = edge_offsets_.back();
    const std::uint64_t cells = std::uint64_t{parts_} * input_.edge_counts.size();
    const auto* done = completed("edges");
    if (done == nullptr) {
      using record = edge_record<Node, Edge>;
      std::uint64_t sum = 0;
      run_collective(ranks_, [&] {
        const id_range own = shares_.nodes();
        const bucket_ranges ranges(own.size(), use_.buckets);
        spill_buckets spill(folder_ + "/buckets", ranges.count, sizeof(record),
                            static_cast<std::size_t>(use_.bucket_bytes), &*memory_);
        {
          const auto fresh = new_nodes(nodes_, &*memory_);
          sum = edges_to_buckets<Node, Edge>(
              input_, std::span<const Node>(fresh), shares_, ranges, spill,
              static_cast<std::size_t>(use_.block_edges), slots_, &*memory_, ranks_, run_,
              [&](std::uint64_t seen, std::uint64_t all) { tell("edges", seen, all, "edges"); });
          spill.finish();
        }
        edges_.rows = 0;
        for (std::size_t b = 0; b < ranges.count; ++b) edges_.rows += spill.count(b);
        edges_.offsets = scratch_array<Edge>::create(folder_ + "/offsets", nodes + 1);
        edges_.sources = scratch_array<Node>::create(folder_ + "/sources", edges_.rows);
        edges_.old_edge = scratch_array<Edge>::create(folder_ + "/old_edge", edges_.rows);
        const auto sources = edges_.sources.values();
        const auto old_edge = edges_.old_edge.values();
        const auto offsets = edges_.offsets.values();
        tell("rows", 0, edges_.rows, "edges");
        rows_from_buckets<record>(
            spill, ranges,
            offsets.subspan(static_cast<std::size_t>(own.begin),
                            static_cast<std::size_t>(own.size()) + 1),
            use_.window_bytes, &*memory_, run_,
            [&](const record& one) { return static_cast<std::uint64_t>(one.target) - own.begin; },
            [&](std::size_t at, const record& one) {
              sources[at] = one.source;
              old_edge[at] = one.edge;
            },
            [&](std::uint64_t seen) { tell("rows", seen, edges_.rows, "edges"); });
        std::fill(offsets.begin() + static_cast<std::ptrdiff_t>(own.end), offsets.end(),
                  static_cast<Edge>(edges_.rows));
      });
      number_edges(sum);
      note_edges();
      done = stages_->completed_before("edges");
    }
    run_collective(ranks_, [&] {
      edges_.rows = done->count("rows");
      edges_.offsets = scratch_array<Edge>::open(folder_ + "/offsets", nodes + 1);
      edges_.sources = scratch_array<Node>::open(folder_ + "/sources", edges_.rows);
      edges_.old_edge = scratch_array<Edge>::open(folder_ + "/old_edge", edges_.rows);
      edges_.new_edge = scratch_array<Edge>::open(folder_ + "/new_edge", edges_.rows);
      edges_.bounds = scratch_array<std::uint64_t>::open(folder_ + "/edge_bounds", cells + 1);
      edges_.cut_edges = done->count("cut_edges");
      edges_.dropped = done->count("dropped");
      require_equal(done->count("edges"), edges, "edges");
      if (options_.hops == 0 && edges_.cut_edges != 0 && !options_.drop_cut_edges) {
        raise(errc::cut_edges,
              "0 hops cannot keep the " + std::to_string(edges_.cut_edges) +
                  " edges that cross parts; ask for 1 hop or more, or for dropping them");
      }
    });
  }

  /// New edge IDs; proves on the way that the rows hold the edges that were read.
  void number_edges(std::uint64_t sum) {
    const auto sorted = rows();
    const auto old_edge = std::as_const(edges_).old_edge.values();
    const std::span<const std::uint64_t> part_begin(part_begin_), types(edge_offsets_);
    const id_range own = shares_.parts();
    std::atomic<std::uint64_t> found = 0, cut = 0;
    run_.parallel_for(static_cast<std::size_t>(own.begin), static_cast<std::size_t>(own.end), 1,
                      [&](std::size_t first, std::size_t last) {
                        std::uint64_t here = 0, crossing = 0;
                        for (std::size_t p = first; p < last; ++p) {
                          const std::uint64_t begin = part_begin[p],
                                              size = part_begin[p + 1] - begin;
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
    std::array<std::uint64_t, 4> all{sum, found.load(), cut.load(), edges_.rows};
    check_peers(ranks_);
    check_ranks(ranks_.sum(all));
    run_collective(ranks_, [&] {
      require_equal(all[3], edge_offsets_.back(), "edges");
      if (all[1] != all[0])
        raise(errc::internal, "the rows do not hold the edges that were read: their sums differ");
      edges_.cut_edges = all[2];
      const bool drop = options_.hops == 0 && options_.drop_cut_edges && edges_.cut_edges != 0;
      edges_.dropped = drop ? edges_.cut_edges : 0;
      edges_.new_edge = scratch_array<Edge>::create(folder_ + "/new_edge", edges_.rows);
      edges_.bounds = scratch_array<std::uint64_t>::create(
          folder_ + "/edge_bounds", std::uint64_t{parts_} * input_.edge_counts.size() + 1);
      if (several()) {
        edge_numbers<Node, Edge>(sorted, old_edge, part_begin, types, drop)
            .count(own, edges_.bounds.values(), run_);
        return;
      }
      check(
          relabel_edges_into(
              sorted, std::span<const part_id>(), std::span<const Node>(), part_begin, types,
              [&](auto position) { return static_cast<std::uint64_t>(old_edge[index(position)]); },
              drop, edges_.bounds.values(), edges_.new_edge.values(), run_),
          "edges cannot be numbered");
    });
    if (!several()) return;
    const auto bounds = edges_.bounds.values();
    check_peers(ranks_);
    check_ranks(ranks_.sum(bounds));
    std::uint64_t before = 0;
    for (auto& cell : bounds) before += std::exchange(cell, before);
    edge_numbers<Node, Edge>(sorted, old_edge, part_begin, types, edges_.dropped != 0)
        .number(own, bounds, edges_.new_edge.values(), run_);
  }

  void note_edges() {
    const std::size_t types = input_.edge_counts.size();
    stage_record stage{"edges",
                       {{"edges", edge_offsets_.back()},
                        {"rows", edges_.rows},
                        {"cut_edges", edges_.cut_edges},
                        {"dropped", edges_.dropped}},
                       {}};
    const auto bounds = edges_.bounds.values();
    run_collective(ranks_, [&] {
      std::uint64_t kept = 0;
      for (std::size_t r = 0; r < types; ++r) {
        std::uint64_t count = 0;
        for (std::size_t p = 0; p < parts_; ++p)
          count += bounds[p * types + r + 1] - bounds[p * types + r];
        if (edges_.dropped == 0)
          require_equal(
              count, input_.edge_counts[r],
              "edges of type " + graph_schema::quoted(input_.schema.edge_types()[r].str()));
        stage.counts.emplace_back("type" + std::to_string(r), count);
        kept += count;
      }
      require_equal(kept + edges_.dropped, edge_offsets_.back(), "edges");
      note_file(stage, edges_.offsets, "offsets");
      note_file(stage, edges_.sources, "sources");
      note_file(stage, edges_.old_edge, "old_edge");
      note_file(stage, edges_.new_edge, "new_edge");
      note_file(stage, edges_.bounds, "edge_bounds");
      stages_->complete(std::move(stage));
    });
  }

  void group_cut_edges() {
    const bool cut = options_.hops != 0 && options_.halo == dispatch_halo::full;
    const bool held = several() &&
                      (cut || options_.hops > 1);  // what other ranks have is needed, too
    if (!cut && !held) return;
    const auto* done = completed("cut");
    if (done == nullptr) {
      run_collective(ranks_, [&] {
        if (several()) {
          hold_rows<Node, Edge>(folder_, part_begin_, shares_, options_.hops, cut, use_, &*memory_,
                                ranks_, edges_);
        } else {
          require_equal(
              cut_edges_to_files<Node, Edge>(folder_, rows(), part_begin_, use_, &*memory_, edges_),
              edges_.cut_edges, "cut edges");
        }
        measure_memory();
      });
      const std::uint64_t count = cut ? edges_.cut_list.size() : 0;
      const std::uint64_t all = several() ? all_reduce_sum(ranks_, count) : count;
      run_collective(ranks_, [&] {
        if (cut) require_equal(all, edges_.cut_edges, "cut edges");
        stage_record stage{"cut", {{"cut_edges", count}, {"held", edges_.rows}}, {}};
        if (cut) {
          note_file(stage, edges_.cut_begin, "cut_begin");
          note_file(stage, edges_.cut_list, "cut_list");
        }
        if (held) {
          note_file(stage, edges_.offsets, "held_offsets");
          note_file(stage, edges_.sources, "held_sources");
          note_file(stage, edges_.old_edge, "held_old_edge");
          note_file(stage, edges_.new_edge, "held_new_edge");
        }
        stages_->complete(std::move(stage));
      });
      done = stages_->completed_before("cut");
    }
    run_collective(ranks_, [&] {
      const std::uint64_t count = done->count("cut_edges");
      edges_.rows = done->count("held");
      if (cut) {
        edges_.cut_begin = scratch_array<std::uint64_t>::open(folder_ + "/cut_begin",
                                                              std::uint64_t{parts_} + 1);
        edges_.cut_list = scratch_array<cut_edge<Node, Edge>>::open(folder_ + "/cut_list", count);
      }
      if (held) {
        edges_.offsets = scratch_array<Edge>::open(folder_ + "/held_offsets",
                                                   node_offsets_.back() + 1);
        edges_.sources = scratch_array<Node>::open(folder_ + "/held_sources", edges_.rows + count);
        edges_.old_edge = scratch_array<Edge>::open(folder_ + "/held_old_edge",
                                                    edges_.rows + count);
        edges_.new_edge = scratch_array<Edge>::open(folder_ + "/held_new_edge",
                                                    edges_.rows + count);
      }
    });
  }

  // --- parts ---

  partition_plan_view<Node, Edge> plan() const {
    return {parts_,
            true,
            node_offsets_,
            edge_offsets_,
            nodes_.bounds.values(),
            edges_.bounds.values(),
            part_begin_,
            nodes_.old_node.values(),
            rows(),
            edges_.old_edge.values(),
            edges_.new_edge.values(),
            edges_.cut_edges,
            edges_.dropped,
            {edges_.cut_begin.values(), edges_.cut_list.values()},
            several()};
  }

  part_layout layout_of(const writer& describes, const partition_plan_view<Node, Edge>& plan,
                        part_plan counts) const {
    part_plan all = describes.describe(plan, std::move(counts));
    if (options_.halo == dispatch_halo::in) {
      all.types = true;
      all.part_ids = false;
    }
    part_layout layout = target_.layout(all);
    // The two files of a mapping are asked for apart, unless they share a file with something else.
    const auto leave_out = [&](std::string& file) {
      const std::string* const roles[] = {&layout.graph_file, &layout.node_feature_file,
                                          &layout.edge_feature_file, &layout.original_nodes_file,
                                          &layout.original_edges_file};
      if (std::count_if(std::begin(roles), std::end(roles),
                        [&](const auto* role) { return *role == file; }) > 1)
        return;
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
  static bool is_rows(const section& one) {
    return one.what == column::node_feature || one.what == column::edge_feature;
  }
  /// What a part has written of a file that later stages put rows into.
  void note_bytes_besides_rows(stage_record& stage, const std::string& folder,
                               const file_layout& file) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> rows{{file.bytes, file.bytes}};
    for (const auto& one : file.sections) {
      if (is_rows(one)) rows.emplace_back(one.offset, one.offset + one.bytes());
    }
    std::sort(rows.begin(), rows.end());
    std::uint64_t done = 0;
    for (const auto& [begin, end] : rows) {
      if (begin > done)
        stage.ranges.push_back(digest_of_range(staging_, folder + file.name, done, begin - done));
      done = std::max(done, end);
    }
  }
  static bool holds_rows(const file_layout& file) {
    return std::any_of(file.sections.begin(), file.sections.end(), is_rows);
  }

  void write_parts() {
    const auto shared = plan();
    const writer describes(input_.schema, features_, target_, partition_options_, run_);
    auto& report = result_.report;
    report.parts.resize(parts_);
    result_.config.parts.resize(parts_);
    const id_range own = shares_.parts();
    std::vector<std::size_t> todo;
    run_collective(ranks_, [&] {
      for (auto p = static_cast<std::size_t>(own.begin); p < own.end; ++p) {
        const stage_record* const stage = rerun_from_here_
                                              ? nullptr
                                              : stages_->completed("part" + std::to_string(p));
        if (stage == nullptr) {
          todo.push_back(p);
          continue;
        }
        result_.resumed.push_back(stage->name);
        const auto layout = layout_of(describes, shared, counts_of(p, *stage));
        take_part(p, *stage);
        for (const auto& file : layout.files) add(folder_of(p) + file.name);
      }
      expand_parts(describes, shared, todo);
    });
    // Rows of features lie in the files of parts: with a part anew, they are to be written again.
    const bool fresh = several() ? most_of_ranks(ranks_, todo.empty() ? 0 : 1) != 0 : !todo.empty();
    rerun_from_here_ = rerun_from_here_ || fresh;
    if (several()) share_reports();
    run_collective(ranks_, [&] {
      std::uint64_t nodes = 0, edges = 0;
      for (const auto& part : report.parts) {
        nodes += part.inner_nodes;
        edges += part.inner_edges;
      }
      require_equal(nodes, node_offsets_.back(), "nodes of all parts");
      require_equal(edges + edges_.dropped, edge_offsets_.back(), "edges of all parts");
      for (std::size_t p = 0; p < parts_; ++p) {
        const auto layout = layout_of(describes, shared, counts_at(p));
        result_.config.parts[p] = detail::part_paths_of(layout, folder_of(p));
      }
    });
  }

  /// A file of an earlier run.
  void add(const std::string& name) {
    if (output_) output_->add(name);
  }

  void expand_parts(const writer& describes, const partition_plan_view<Node, Edge>& shared,
                    const std::vector<std::size_t>& todo) {
    scratch_memory column_memory(folder_, use_.column_bytes);
    std::mutex mutex;
    std::uint64_t finished = static_cast<std::uint64_t>(shares_.parts().size()) - todo.size();
    const std::size_t at_once = static_cast<std::size_t>(use_.part_threads);
    const halo_options grow{options_.hops, options_.halo == dispatch_halo::full,
                            options_.drop_cut_edges};
    std::atomic<std::size_t> next = 0;
    run_.parallel_for(
        0, std::min(at_once, todo.size()), 1, [&](std::size_t first, std::size_t last) {
          for (std::size_t lane = first; lane < last; ++lane) {
            auto one = std::make_unique<columns>(shared, &column_memory, &*memory_);
            for (std::size_t i = next++; i < todo.size(); i = next++) {
              const std::size_t p = todo[i];
              one->expand(p, grow,
                          options_.halo == dispatch_halo::in ? halo_order::ascending
                                                             : halo_order::discovered);
              measure_memory();
              const auto layout = layout_of(describes, shared, one->describe());
              stage_record stage{"part" + std::to_string(p), {}, {}};
              const auto& counted = one->report();
              stage.counts = {{"inner_nodes", counted.inner_nodes},
                              {"halo_nodes", counted.halo_nodes},
                              {"inner_edges", counted.inner_edges},
                              {"halo_edges", counted.halo_edges}};
              for (std::size_t hop = 0; hop < counted.halo_nodes_per_hop.size(); ++hop) {
                if (counted.halo_nodes_per_hop[hop] != 0)
                  stage.counts.emplace_back("hop" + std::to_string(hop),
                                            counted.halo_nodes_per_hop[hop]);
              }
              const std::string folder = folder_of(p);
              write_part(
                  layout,
                  [&](const file_layout& file) { return create(folder + file.name, file.bytes); },
                  [&](auto& sink, const section& where) {
                    return is_rows(where) ? status::ok : one->write(sink, where);
                  });
              for (const auto& file : layout.files) {
                if (!holds_rows(file))
                  stage.files.push_back(
                      digest_file(staging_ + "/" + folder + file.name, folder + file.name));
                else
                  note_bytes_besides_rows(stage, folder, file);
              }
              const std::lock_guard lock(mutex);
              take_part(p, stages_->complete(std::move(stage)));
              tell("parts", ++finished, shares_.parts().size(), "parts");
            }
          }
        });
  }

  /// What each rank has counted in its parts, everywhere.
  void share_reports() {
    auto& all = result_.report.parts;
    const std::size_t hops = static_cast<std::size_t>(
        std::min<std::uint64_t>(options_.hops, node_offsets_.back()));
    std::vector<std::uint64_t> numbers(4 + hops);
    for (auto& part : all) part.halo_nodes_per_hop.resize(hops);
    check_peers(ranks_);
    for (std::size_t p = 0; p < parts_; ++p) {  // nothing here throws but for want of a rank
      auto& part = all[p];
      std::fill(numbers.begin(), numbers.end(), 0);
      if (p >= shares_.parts().begin && p < shares_.parts().end) {
        numbers[0] = part.inner_nodes;
        numbers[1] = part.halo_nodes;
        numbers[2] = part.inner_edges;
        numbers[3] = part.halo_edges;
        std::copy(part.halo_nodes_per_hop.begin(), part.halo_nodes_per_hop.end(),
                  numbers.begin() + 4);
      }
      check_ranks(ranks_.sum(numbers));
      part.inner_nodes = numbers[0];
      part.halo_nodes = numbers[1];
      part.inner_edges = numbers[2];
      part.halo_edges = numbers[3];
      std::copy(numbers.begin() + 4, numbers.end(), part.halo_nodes_per_hop.begin());
    }
  }

  static std::string folder_of(std::size_t p) { return "part" + std::to_string(p) + "/"; }

  void take_part(std::size_t p, const stage_record& stage) {
    auto& part = result_.report.parts[p];
    part.inner_nodes = stage.count("inner_nodes");
    part.halo_nodes = stage.count("halo_nodes");
    part.inner_edges = stage.count("inner_edges");
    part.halo_edges = stage.count("halo_edges");
    part.halo_nodes_per_hop.assign(
        static_cast<std::size_t>(std::min<std::uint64_t>(options_.hops, node_offsets_.back())), 0);
    for (const auto& [key, value] : stage.counts) {
      std::uint64_t hop = 0;
      if (key.starts_with("hop") && parse_whole(std::string_view(key).substr(3), hop) &&
          hop < part.halo_nodes_per_hop.size()) {
        part.halo_nodes_per_hop[static_cast<std::size_t>(hop)] = value;
      }
    }
    for (const auto& file : stage.files) know(file);
  }

  // --- features ---

  void write_features() {
    const auto shared = plan();
    const writer describes(input_.schema, features_, target_, partition_options_, run_);
    write_all_rows(describes, shared, column::node_feature);
    write_all_rows(describes, shared, column::edge_feature);
    // Digests of the files that hold rows, now that they are whole.
    if (const auto* const done = completed_after_parts("features"); done != nullptr) {
      for (const auto& file : done->files) know(file);
      return;
    }
    run_collective(ranks_, [&] {
      stage_record stage{"features", {}, {}};
      for (auto p = static_cast<std::size_t>(shares_.parts().begin); p < shares_.parts().end; ++p) {
        for (const auto& file : layout_of(describes, shared, counts_at(p)).files) {
          if (holds_rows(file))
            stage.files.push_back(
                digest_file(staging_ + "/" + folder_of(p) + file.name, folder_of(p) + file.name));
        }
      }
      for (const auto& file : stages_->complete(std::move(stage)).files) know(file);
    });
  }

  /// A part that was written again after rows went into its files has lost them.
  const stage_record* completed_after_parts(const std::string& stage) {
    const auto* const found = completed(stage);
    if (found == nullptr) return nullptr;
    bool behind = true;
    for (auto p = shares_.parts().begin; p < shares_.parts().end; ++p)
      behind = behind && !stages_->is_later("part" + std::to_string(p), stage);
    if (several()) behind = all_reduce_min(ranks_, behind ? 1 : 0) != 0;
    if (behind) return found;
    rerun_from_here_ = true;
    return nullptr;
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

  void write_all_rows(const writer& describes, const partition_plan_view<Node, Edge>& shared,
                      column what) {
    const bool of_nodes = what == column::node_feature;
    const auto& all = of_nodes ? input_.node_features : input_.edge_features;
    if (all.empty()) return;
    const std::string step = of_nodes ? "node features" : "edge features";
    std::vector<const chunked_feature*> todo;
    std::vector<std::size_t> items;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto stage = (of_nodes ? "node_feature" : "edge_feature") + std::to_string(i);
      if (completed_after_parts(stage) == nullptr) {
        todo.push_back(&all[i]);
        items.push_back(i);
      }
    }
    if (todo.empty()) return;
    run_collective(ranks_, [&] { write_rows_of(describes, shared, what, step, todo, items); });
  }

  /// Inside run_collective().
  void write_rows_of(const writer& describes, const partition_plan_view<Node, Edge>& shared,
                     column what, const std::string& step,
                     const std::vector<const chunked_feature*>& todo,
                     const std::vector<std::size_t>& items) {
    const bool of_nodes = what == column::node_feature;
    std::vector<feature_places> places(
        (of_nodes ? input_.node_features : input_.edge_features).size());
    std::vector<std::string> paths(parts_);
    for (auto p = static_cast<std::size_t>(shares_.parts().begin); p < shares_.parts().end; ++p) {
      for (const auto& file : layout_of(describes, shared, counts_at(p)).files) {
        for (const auto& one : file.sections) {
          if (one.what != what) continue;
          places[one.item].sections.resize(parts_);
          places[one.item].sections[p] = one;
          paths[p] = folder_of(p) + file.name;
        }
      }
    }
    std::vector<std::string> whole_paths;
    for (const auto& path : paths)
      whole_paths.push_back(path.empty() ? path : staging_ + "/" + path);
    open_files files(std::move(whole_paths));
    std::pmr::vector<Node> fresh(&*memory_);
    scratch_array<Edge> edge_place;
    if (of_nodes) fresh = new_nodes(nodes_, &*memory_);
    std::vector<stage_record> unnoted;
    std::uint64_t unsynced = 0, before = 0, total = 0;  // bytes
    for (const auto* one : todo) total += one->rows * one->row_bytes();
    const edge_readers readers(edge_offsets_, ranks_.rank(), ranks_.size());
    if (!of_nodes)
      edge_place = edge_places_to_file<Node, Edge>(folder_, shared, shares_, readers, use_,
                                                   &*memory_, ranks_, run_);
    for (std::size_t i = 0; i < todo.size(); ++i) {
      const chunked_feature& one = *todo[i];
      auto& place = places[items[i]];
      place.sections.resize(parts_);
      place.row_elements = element_count(one.row_shape);
      std::uint64_t rows = 0;
      const auto told = [&](std::uint64_t done) {
        tell(step, before + done * one.row_bytes(), total, "bytes");
      };
      if (one.row_bytes() != 0 && one.rows != 0) {
        std::uint64_t kept = 0;
        if (of_nodes) {
          rows = node_rows_to_parts<Node, Edge>(
              input_, one, shared,
              std::span<const Node>(fresh).subspan(
                  static_cast<std::size_t>(node_offsets_[one.type]),
                  static_cast<std::size_t>(one.rows)),
              shares_, place, files, use_, &*memory_, ranks_, told);
          for (auto p = shares_.parts().begin; p < shares_.parts().end; ++p)
            kept += shared.nodes(static_cast<std::size_t>(p), one.type).size();
        } else {
          const auto own = std::as_const(edge_place).values();
          const id_range read = readers.rows(one.type);
          rows = edge_rows_to_parts<Node, Edge>(
              input_, one, shared,
              own.subspan(static_cast<std::size_t>(readers.slot(one.type, read.begin)),
                          static_cast<std::size_t>(read.size())),
              shares_, readers, place, files, folder_, use_, &*memory_, ranks_, told);
          for (auto p = shares_.parts().begin; p < shares_.parts().end; ++p)
            kept += shared.edges(static_cast<std::size_t>(p), one.type).size();
        }
        require_equal(rows, kept,
                      "rows of " + std::string(of_nodes ? "node" : "edge") + " feature " +
                          graph_schema::quoted(one.name));
      }
      unnoted.push_back({(of_nodes ? "node_feature" : "edge_feature") + std::to_string(items[i]),
                         {{"rows", rows}, {"bytes", rows * one.row_bytes()}},
                         {}});
      before += one.rows * one.row_bytes();
      // Rows must be on disk before it is noted that they are there; that takes its time for each
      // file.
      unsynced += rows * one.row_bytes();
      if (unsynced < std::uint64_t{1} << 30 && i + 1 < todo.size()) continue;
      files.sync();
      for (std::size_t s = 0; s < unnoted.size(); ++s) {
        const auto& sections = places[items[i + 1 - unnoted.size() + s]].sections;
        for (std::size_t p = 0; p < paths.size(); ++p) {
          if (!paths[p].empty() && sections[p].bytes() != 0)
            unnoted[s].ranges.push_back(
                digest_of_range(staging_, paths[p], sections[p].offset, sections[p].bytes()));
        }
        stages_->complete(std::move(unnoted[s]));
      }
      unnoted.clear();
      unsynced = 0;
    }
  }

  // --- the end ---

  void finish() {
    auto& config = result_.config;
    auto& report = result_.report;
    config.graph_name = name_;
    config.halo_hops = options_.hops;
    config.part_method = !options_.part_method.empty()        ? options_.part_method
                         : options_.halo == dispatch_halo::in ? "metis"
                                                              : "given";
    config.serializer = target_.serializer;
    report.directed_cut = edges_.cut_edges;
    if (auto sentence = sum_up_parts(report); !sentence.empty())
      result_.notes.push_back(std::move(sentence));
    measure_memory();
    result_.peak_anonymous_bytes = several() ? most_of_ranks(ranks_, peak_.load()) : peak_.load();
    if (several() && !options_.own_folders) gather_files();
    nodes_ = {};
    edges_ = {};
    run_collective(ranks_, [&] {  // nobody's files are in use
      settle_inputs(input_);
      if (output_) write_config(config);
    });
    run_collective(ranks_, [&] {
      if (!output_) return;
      if (auto note = output_->commit(command_text(made_by())); !note.empty())
        result_.notes.push_back(std::move(note));
    });
    config.path = target_.path + "/" + name_ + ".json";
  }

  /// Folders of the ranks' own tell which assignment they are of, since nothing else tells those of
  /// two runs apart.
  json::value made_by() const {
    json::value out = options_.command;
    if (several() && options_.own_folders && (out.is_null() || out.if_object() != nullptr))
      out.set("assignment", hexadecimal(digest_of_assignment_));
    return out;
  }

  void write_config(const partition_config& config) {
    const auto write = [&](const std::string& file, const std::string& text) {
      auto sink = output_->create(file, text.size());
      sink.require(sink.write_at(0, std::as_bytes(std::span(text.data(), text.size()))));
      sink.sync();
      sink.close();
    };
    const std::string text = json::print(to_json(config));
    std::vector<std::string> shared{name_ + ".json"};
    if (options_.halo == dispatch_halo::in) shared.push_back("metadata.json");
    for (const auto& file : shared) write(file, text);
    if (options_.machines.empty()) return;
    if (writes_mapping()) shared.push_back(mapping_name());
    shared.push_back(std::string(manifest_name));
    const std::string script(copy_script_name), path = staging_ + "/" + script;
    write(script, copy_script(options_.machines, parts_, shared));
    using std::filesystem::perms;
    std::error_code problem;
    std::filesystem::permissions(path, perms::owner_exec | perms::group_exec | perms::others_exec,
                                 std::filesystem::perm_options::add, problem);
    if (problem) raise_io(path, "make executable", problem.value());
  }

  /// The first rank commits what all have written: names, sizes and digests, a line for each file.
  void gather_files() {
    std::vector<std::string> told(ranks_.size());
    for (std::size_t r = 1; r < ranks_.size(); ++r) {
      if (r == ranks_.rank()) {
        for (const auto& file : written_)
          told[r] += hexadecimal(file.digest) + " " + std::to_string(file.bytes) + " " + file.path +
                     "\n";
      }
      broadcast_text(ranks_, told[r], r);
      if (ranks_.rank() != 0) told[r].clear();
    }
    run_collective(ranks_, [&] {
      if (ranks_.rank() != 0) return;
      for (const auto& lines : told) {
        for (std::size_t at = 0, end = 0; at < lines.size(); at = end + 1) {
          end = lines.find('\n', at);
          take_file(std::string_view(lines).substr(at, end - at));
        }
      }
    });
  }
  /// A line of another rank's, as a manifest says it.
  void take_file(std::string_view line) {
    const auto first = line.find(' '), second = line.find(' ', first + 1);
    manifest_entry file;
    if (!parse_whole(line.substr(0, first), file.digest, 16) ||
        !parse_whole(line.substr(first + 1, second - first - 1), file.bytes)) {
      raise(errc::internal, "a rank tells of its files what cannot be read");
    }
    file.path = std::string(line.substr(second + 1));
    output_->add(file.path);
    output_->know(file);
  }

  const Input& input_;
  std::string assignment_;
  part_id parts_;
  dispatch_target target_;
  const dispatch_options& options_;
  const Executor& run_;
  const Ranks& ranks_;
  std::vector<std::uint64_t> node_offsets_, edge_offsets_, part_begin_{};
  basic_feature_set<described_rows> features_{};
  partition_options partition_options_{};
  std::string name_{}, staging_{}, folder_{};
  std::uint64_t digest_of_assignment_ = 0;
  dispatch_buffers use_{};
  std::size_t slots_ = 1;
  dispatch_result result_{};
  std::optional<staged_folder> output_{};  // of ranks that have one
  std::vector<manifest_entry> written_{};  // by this rank, of several
  std::atomic<std::uint64_t> peak_ = 0;
  std::optional<stage_list> stages_{};
  std::optional<scratch_memory> memory_{};
  bool rerun_from_here_ = false;  // a stage was done in this run, by any rank
  rank_shares shares_{};
  dispatched_nodes<Node> nodes_{};
  dispatched_edges<Node, Edge> edges_{};
};

}  // namespace detail

/// Dispatch a chunked graph at a given width of IDs in memory and in scratch files.
/// @errors as dispatch(); overflow: the graph has more nodes or edges than the IDs can number
template <id Node, id Edge, class Input, class Target, executor Executor = sequential,
          communicator Ranks = single_rank>
dispatch_result dispatch_at(const Input& input, const std::string& assignment, part_id parts,
                            const Target& target, const dispatch_options& options = {},
                            const Executor& run = {}, const Ranks& ranks = {}) {
  const auto& format = target.format();
  std::optional<detail::dispatcher<Node, Edge, Input, Executor, Ranks>> job;
  run_collective(ranks, [&] {
    const detail::dispatch_target erased{std::string(target.path), std::string(format.name()),
                                         [&format](const part_plan& plan) {
                                           part_layout layout = format.layout(plan);
                                           check_roles(format, plan, layout);
                                           return layout;
                                         }};
    job.emplace(input, assignment, parts, erased, options, run, ranks);
  });
  return job->go();
}

/// Dispatch a chunked graph: write the parts that an assignment makes of it.
///
/// @param input       an opened chunked graph (open_chunked); on each rank the same. What is
///     compared is what each rank knows without reading it all: names, counts, features, of each
///     file its size, its lines' places and how it begins
/// @param assignment  folder with the part of each node, `<node type>.txt`, or of a graph of one
///     node type that file itself
/// @param parts       the number of parts (resolve_num_parts, count_parts_assigned)
/// @param target      dgl_folder{path}, native_folder{path}, format_folder{path, one's own}; of
///     several ranks a folder that all of them see, or with own_folders each one's own
/// @param run         reads, sorts and writes; the bytes are the same for any
/// @param ranks       who shares the work; the bytes are the same for any number. Collective
/// @errors            memory: the budget is too small, with the smallest that suffices, before
///     anything is read; mismatch, out_of_range, malformed: what is wrong in which file and line;
///     cut_edges (0 hops); mismatch: resumed with other options or inputs, or on another number of
///     ranks; mismatch: ranks have other options, another graph or another assignment (compared
///     whole) than each other; busy and exists (the target); io. An earlier result stays in any
///     case. What failed for want of room, or was canceled by the progress callback, can be
///     resumed. On several ranks joint_error, unless they cannot reach each other
/// @complexity        O(bytes in and out) time, a few passes; anonymous memory of each rank within
///     the budget
/// @repeatable        yes: a function of graph, assignment and options
template <class Input, class Target, executor Executor = sequential,
          communicator Ranks = single_rank>
dispatch_result dispatch(const Input& input, const std::string& assignment, part_id parts,
                         const Target& target, const dispatch_options& options = {},
                         const Executor& run = {}, const Ranks& ranks = {}) {
  // A rank may hold edges twice, in their rows and as cut ones.
  const std::uint64_t edges = ranks.size() == 1
                                  ? input.num_edges()
                                  : 2 * std::min(input.num_edges(), ~std::uint64_t{0} / 2);
  if (input.num_nodes() < id_capacity<std::uint32_t>() && edges < id_capacity<std::uint32_t>()) {
    return dispatch_at<std::uint32_t, std::uint32_t>(input, assignment, parts, target, options, run,
                                                     ranks);
  }
  return dispatch_at<std::uint64_t, std::uint64_t>(input, assignment, parts, target, options, run,
                                                   ranks);
}

}  // namespace halograph
