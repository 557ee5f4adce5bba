// SPDX-License-Identifier: BSL-1.0
/// @file faults.cpp
/// Runs a command of the program again and again, and lets each time another call of the C library
/// fail: `faults PROGRAM LIBRARY FOLDER COMMAND MOST`, with at most MOST calls of each kind, spread
/// over the run; 0: all of them.
///
/// Each run must end by itself with exit code 0 or 1, with 1 say one sentence, and leave the output
/// of an earlier run as it was, or the whole new one: after exit code 0 always, after 1 where only
/// the report of a finished run failed. The sentence names a file unless memory or threads are
/// what is missing; no run ends well after a sync that failed; and where a run leaves a staging
/// folder, the next one removes it. Where an allocation fails inside DuckDB, it frees what it did
/// not allocate, or throws in a destructor: a job of Parquet files may then end by a signal, and
/// all else holds.
#include "runs.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using runs::contents;
using runs::ended;
using runs::sentences;
using runs::text_of;
using runs::words;

struct job {
  std::string name{};
  words earlier{}, command{};  // both write "out"; `earlier` is empty where nothing is there before
  bool of_parquet() const { return name.ends_with("_parquet"); }
  bool of_large() const { return name.ends_with("_large"); }
};

// In the folder of the inputs. `earlier` makes what must survive. Some only print.
const std::vector<job> jobs{
    {"partition",
     {"partition", "--input", "chunked", "--parts", "2", "--out", "out"},
     {"partition", "--input", "chunked", "--parts", "3", "--out", "out"}},
    {"partition_large",
     {"partition", "--input", "chunked", "--parts", "2", "--out", "out"},
     {"partition", "--input", "large", "--parts", "2", "--compress", "--out", "out"}},
    {"partition_metis", {}, {"partition", "--input", "ring.graph", "--parts", "2", "--out", "out"}},
    {"partition_mtx", {}, {"partition", "--input", "ring.mtx", "--parts", "2", "--out", "out"}},
    {"partition_gz", {}, {"partition", "--input", "ring.txt.gz", "--parts", "2", "--out", "out"}},
    {"partition_npy", {}, {"partition", "--input", "arrays", "--parts", "2", "--out", "out"}},
    {"partition_zst", {}, {"partition", "--input", "ring.txt.zst", "--parts", "2", "--out", "out"}},
    {"partition_galois", {}, {"partition", "--input", "ring.gr", "--parts", "2", "--out", "out"}},
    {"partition_dimacs",
     {},
     {"partition", "--input", "dimacs/ring.gr", "--parts", "2", "--out", "out"}},
    {"partition_ligra", {}, {"partition", "--input", "ring.adj", "--parts", "2", "--out", "out"}},
    {"partition_bin32", {}, {"partition", "--input", "ring.bin32", "--parts", "2", "--out", "out"}},
    {"partition_graphml",
     {},
     {"partition", "--input", "ring.graphml", "--parts", "2", "--out", "out"}},
    {"partition_json", {}, {"partition", "--input", "ring.json", "--parts", "2", "--out", "out"}},
    {"partition_ogb", {}, {"partition", "--input", "ogb", "--parts", "2", "--out", "out"}},
    {"partition_gap", {}, {"partition", "--input", "ring.sg", "--parts", "2", "--out", "out"}},
    {"partition_parhip",
     {},
     {"partition", "--input", "ring.parhip", "--parts", "2", "--out", "out"}},
    {"partition_tables",
     {},
     {"partition", "--input", "tables/tables.json", "--parts", "2", "--out", "out"}},
    {"chunk_tables", {}, {"chunk", "--tables", "tables/tables.json", "--out", "out"}},
    {"partition_parquet", {}, {"partition", "--input", "parquet", "--parts", "2", "--out", "out"}},
    {"chunk_parquet",
     {},
     {"chunk", "--input", "parts", "--format", "parquet", "--feature-format", "parquet", "--out",
      "out"}},
    {"convert_parquet", {}, {"convert", "parquet", "--to", "parquet", "--out", "out"}},
    {"partition_graphar", {}, {"partition", "--input", "shop", "--parts", "2", "--out", "out"}},
    {"partition_dgl",
     {},
     {"partition", "--input", "parts/part0/graph.dgl", "--parts", "2", "--out", "out"}},
    {"partition_native",
     {},
     {"partition", "--input", "chunked", "--parts", "2", "--to", "native", "--out", "out"}},
    {"partition_text",
     {"partition", "--input", "ring.txt", "--parts", "2", "--out", "out"},
     {"partition", "--input", "ring.txt", "--parts", "3", "--method", "ldg", "--out", "out"}},
    {"chunk",
     {"generate", "rmat", "--scale", "4", "--out", "out"},
     {"chunk", "--input", "parts", "--out", "out"}},
    {"generate",
     {"generate", "rmat", "--scale", "4", "--out", "out"},
     {"generate", "hetero", "--nodes", "50", "--out", "out"}},
    {"assign",
     {"assign", "--in-dir", "chunked", "--parts", "2", "--method", "ldg", "--out-dir", "out"},
     {"assign", "--in-dir", "chunked", "--parts", "3", "--method", "fennel", "--out-dir", "out"}},
    {"dispatch",
     {"partition", "--input", "chunked", "--parts", "2", "--out", "out"},
     {"dispatch", "--in-dir", "chunked", "--partitions-dir", "assigned", "--out-dir", "out"}},
    {"attach_features",
     {"partition", "--input", "bare", "--parts", "2", "--out", "out"},
     {"attach-features", "out", "--input", "chunked"}},
    {"update",
     {"partition", "--input", "chunked", "--parts", "2", "--save-mapping", "--out", "out"},
     {"update", "out", "--add-nodes", "paper=2", "--zero-rows", "--max-moved", "20%"}},
    {"parmetis_export",
     {"partition", "--input", "chunked", "--parts", "2", "--out", "out"},
     {"parmetis", "export", "--input", "chunked", "--out", "out"}},
    {"parmetis_partition",
     {},
     {"parmetis", "partition", "--graph-name", "hetero", "--num-parts", "2", "--input-dir",
      "exported", "--out", "out"}},
    {"parmetis_import",
     {"assign", "--in-dir", "chunked", "--parts", "2", "--method", "ldg", "--out-dir", "out"},
     {"parmetis", "import", "--parts-file", "cut/hetero_part.2", "--schema", "exported/hetero.json",
      "--out", "out"}},
    {"parmetis_convert",
     {"partition", "--input", "chunked", "--parts", "2", "--out", "out"},
     {"parmetis", "convert", "cut", "--graph-name", "hetero", "--schema", "exported/hetero.json",
      "--num-parts", "2", "--num-node-weights", "3", "--out", "out"}},
    {"restore",
     {"restore", "parts/hetero.json", "--rows", "rows", "--type", "paper", "--out", "out"},
     {"restore", "parts/hetero.json", "--rows", "rows", "--type", "paper", "--out", "out"}},
    {"convert_graphbolt", {}, {"convert", "chunked", "--to", "graphbolt", "--out", "out"}},
    {"convert", {}, {"convert", "ring.txt", "--to", "metis", "--out", "out"}},
    {"convert_pyg", {}, {"convert", "parts", "--to", "pyg", "--out", "out"}},
    {"report_html", {}, {"report", "parts", "--html", "out"}},
    {"simulate", {}, {"simulate", "parts", "--fanout", "2", "--batch", "8"}},
    {"verify", {}, {"verify", "parts/hetero.json", "--against", "chunked"}},
    {"report", {}, {"report", "parts/hetero.json"}},
    {"inspect", {}, {"inspect", "parts/hetero.json"}},
    {"estimate", {}, {"estimate", "--input", "chunked", "--parts", "4"}},
};

struct fault {
  const char* call;
  int number;
  bool persists;
};
const fault faults[]{
    {"malloc", ENOMEM, false},   {"malloc", ENOMEM, true},  {"open", EIO, false},
    {"open", EMFILE, false},     {"open", EMFILE, true},    {"read", EIO, false},
    {"read", EIO, true},         {"read", EINTR, false},    {"short_read", 0, true},
    {"pread", EIO, false},       {"pread", EINTR, false},   {"write", ENOSPC, false},
    {"write", ENOSPC, true},     {"write", EIO, false},     {"write", EINTR, false},
    {"short_write", 0, true},    {"pwrite", ENOSPC, false}, {"pwrite", ENOSPC, true},
    {"pwrite", EIO, false},      {"pwrite", EINTR, false},  {"short_pwrite", 0, true},
    {"fsync", EIO, false},       {"fsync", EIO, true},      {"rename", EIO, false},
    {"mkdir", ENOSPC, false},    {"mkdir", ENOSPC, true},   {"unlink", EIO, false},
    {"unlink", EIO, true},       {"ftruncate", EIO, false}, {"fallocate", ENOSPC, false},
    {"fallocate", EIO, false},   {"mmap", ENOMEM, false},   {"mmap", ENOMEM, true},
    {"close", EIO, false},       {"thread", EAGAIN, false}, {"calloc", ENOMEM, false},
    {"realloc", ENOMEM, false},  {"realloc", ENOMEM, true}, {"fopen", EIO, false},
    {"fopen", EMFILE, true},     {"short_pread", 0, true},  {"pread", EIO, true},
    {"fsync", ENOSPC, false},    {"flock", EIO, false},     {"flock", ENOLCK, true},
    {"flock", EOPNOTSUPP, true}, {"renameat2", EIO, false}, {"renameat2", EINVAL, true},
    {"renameat2", EPERM, true},  {"rmdir", EIO, false},     {"opendir", EIO, false},
    {"opendir", EMFILE, true},   {"readdir", EIO, false},   {"stat", EIO, false},
    {"empty_write", 0, true},    {"empty_pwrite", 0, true}, {"dl_malloc", ENOMEM, true},
};

class loop {
 public:
  loop(const std::string& program, std::string library, const fs::path& folder, bool parquet)
      : place_(program, folder, parquet), library_(std::move(library)), folder_(place_.folder()) {}

  int go(const job& what, long most) {
    // So that partition --compress goes through files.
    if (what.of_large())
      place_.must({"generate", "rmat", "--scale", "16", "--edge-factor", "10", "--out", "large"});
    if (!what.earlier.empty()) {
      place_.must(what.earlier);
      fs::rename(folder_ / "out", folder_ / "earlier");
      before_ = contents(folder_ / "earlier");
    }
    reset();
    place_.must(what.command);
    after_ = contents(folder_ / "out");
    for (const fault& one : faults) {
      reset();
      const long calls = count(what, one.call);
      const long points = most == 0 ? calls : std::min(calls, most);
      for (long i = 0; i < points; ++i) inject(what, one, 1 + i * calls / points);
    }
    std::cout << what.name << ": " << injected_ << " faults injected, " << ended_well_
              << " runs ended well all the same, " << reruns_ << " runs cleaned up after others, ";
    if (what.of_parquet()) std::cout << ended_by_duckdb_ << " were ended by DuckDB, ";
    std::cout << failures_ << " failures\n";
    return failures_ == 0 && injected_ != 0 ? 0 : 1;
  }

 private:
  void reset() {
    fs::remove_all(folder_ / "out");
    if (!before_.empty())
      fs::copy(folder_ / "earlier", folder_ / "out", fs::copy_options::recursive);
  }
  long count(const job& what, const char* call) {
    const fs::path file = folder_ / "count";
    static_cast<void>(
        place_.run(what.command, {"LD_PRELOAD=" + library_, std::string("FAULT_CALL=") + call,
                                  "FAULT_COUNT=" + file.string()}));
    reset();
    return std::strtol(text_of(file).c_str(), nullptr, 10);
  }
  void inject(const job& what, const fault& one, long at) {
    words environment{"LD_PRELOAD=" + library_, std::string("FAULT_CALL=") + one.call,
                      "FAULT_AT=" + std::to_string(at),
                      "FAULT_ERRNO=" + std::to_string(one.number)};
    if (one.persists) environment.emplace_back("FAULT_PERSISTS=1");
    const ended done = place_.run(what.command, environment);
    ++injected_;
    ended_well_ += done.code == 0 ? 1 : 0;
    const std::string call = one.call;
    const bool of_memory = call == "malloc" || call == "dl_malloc" || call == "calloc" ||
                           call == "realloc" || call == "mmap" || call == "thread";
    std::string problem;
    if (what.of_parquet() && of_memory && (done.code == -1 - SIGABRT || done.code == -1 - SIGSEGV))
      ++ended_by_duckdb_;
    else if (done.code != 0 && done.code != 1)
      problem = done.code == -1000 ? "does not end" : "ends with " + std::to_string(done.code);
    else if (done.code == 1 && sentences(done.errors) != 1 && what.name != "verify")
      problem = "says other than one sentence";
    else if (done.code == 1 && !of_memory && what.name != "verify" && !names_a_file(done.errors))
      problem = "names no file";
    else if (done.code == 0 && call == "fsync")
      problem = "ends well although a sync failed";
    if (!after_.empty()) {
      const auto now = contents(folder_ / "out");
      const bool is_new = now == after_, is_old = now == before_;
      if (done.code == 0 ? !is_new : !is_old && !is_new) problem += " leaves another output";
      if (!is_old) reset();
    }
    if (!left_beside().empty()) {
      reset();
      const ended again = place_.run(what.command);
      ++reruns_;
      if (again.code != 0 || (!after_.empty() && contents(folder_ / "out") != after_))
        problem += " the next run fails: " + again.errors.substr(0, 200);
      for (const auto& name : left_beside()) {
        problem += " the next run leaves " + name;
        fs::remove_all(folder_ / name);
      }
      reset();
    }
    if (problem.empty()) return;
    ++failures_;
    std::cout << what.name << ": " << one.call << " number " << at << " reports "
              << std::to_string(one.number) << (one.persists ? ", as all later ones" : "") << ": "
              << problem << "\n    " << done.errors.substr(0, 400) << '\n';
  }

  /// Staging folders, temporary files and locks in the folder of the run.
  words left_beside() const {
    words out;
    for (const auto& one : fs::directory_iterator(folder_)) {
      const std::string name = one.path().filename().string();
      if (name.starts_with('.') && name.find("halograph") != std::string::npos) out.push_back(name);
    }
    return out;
  }
  /// Does the sentence begin with a path, or quote one that exists or is to be made?
  static bool names_a_file(const std::string& errors) {
    const auto sentence = errors.rfind("halograph: ");
    if (sentence == std::string::npos) return false;
    for (const char* const name :
         {"/", "out", ".halograph-", ".: ", "chunked", "parts", "ring.", "ogb", "rows", "assigned",
          "bare", "exported", "arrays", "tables", "shop", "parquet", "large", "standard output"}) {
      if (errors.find(name, sentence + 11) != std::string::npos) return true;
    }
    return false;
  }

  runs::workplace place_;
  std::string library_;
  fs::path folder_;
  std::map<std::string, std::string> before_{}, after_{};
  long injected_ = 0, ended_well_ = 0, reruns_ = 0, ended_by_duckdb_ = 0, failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const words given(argv + 1, argv + argc);
  const auto found = std::find_if(jobs.begin(), jobs.end(), [&](const job& one) {
    return given.size() == 5 && one.name == given[3];
  });
  if (found == jobs.end()) {
    std::cerr << "usage: faults PROGRAM LIBRARY FOLDER COMMAND MOST; COMMAND is one of";
    for (const auto& one : jobs) std::cerr << ' ' << one.name;
    std::cerr << '\n';
    return 2;
  }
  return loop(given[0], fs::absolute(given[1]).string(), given[2], found->of_parquet())
      .go(*found, std::strtol(given[4].c_str(), nullptr, 10));
}
