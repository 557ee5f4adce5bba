// SPDX-License-Identifier: BSL-1.0
/// @file crash_states.cpp
/// What a command may leave where the machine stops at any moment:
/// `crash_states PROGRAM LIBRARY FOLDER COMMAND STATES RERUNS`.
///
/// The changes of one run to files are recorded (record.cpp). For each prefix of them STATES states
/// of the disk are made: what was synced is there; of the rest some writes are lost or torn at 512
/// bytes, and of each folder the last changes of its entries. In each state the output is the
/// earlier one or the new one, and the new one once the run has ended. In RERUNS of them, spread
/// evenly, the command is run again: it ends well, makes the new output and leaves nothing else.
#include "operation.hpp"
#include "runs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using runs::words;

struct job {
  std::string name{};
  words earlier{}, command{};  // both write to out, in the folder "root", or only `command` does
  words again{};               // the run after the crash, where it is another
};
const std::vector<job> jobs{
    {"partition",
     {"partition", "--input", "chunked", "--parts", "2", "--out", "root/out"},
     {"partition", "--input", "chunked", "--parts", "3", "--out", "root/out"},
     {}},
    {"dispatch",
     {"partition", "--input", "chunked", "--parts", "2", "--out", "root/out"},
     {"dispatch", "--in-dir", "chunked", "--partitions-dir", "assigned", "--out-dir", "root/out"},
     {}},
    {"dispatch_resume",
     {"partition", "--input", "chunked", "--parts", "2", "--out", "root/out"},
     {"dispatch", "--in-dir", "chunked", "--partitions-dir", "assigned", "--out-dir", "root/out"},
     {"dispatch", "--in-dir", "chunked", "--partitions-dir", "assigned", "--out-dir", "root/out",
      "--resume"}},
    {"attach_features",
     {"partition", "--input", "bare", "--parts", "2", "--out", "root/out"},
     {"attach-features", "root/out", "--input", "chunked"},
     {}},
    {"update",
     {"partition", "--input", "chunked", "--parts", "2", "--out", "root/out"},
     {"update", "parts", "--add-nodes", "paper=2", "--zero-rows", "--out", "root/out"},
     {}},
    {"chunk",
     {"generate", "rmat", "--scale", "4", "--out", "root/out"},
     {"chunk", "--input", "parts", "--out", "root/out"},
     {}},
    {"convert", {}, {"convert", "ring.txt", "--out", "root/out.graph"}, {}},
};

/// A file or a folder.
struct node {
  bool is_folder = false;
  std::string data{};
  std::map<std::string, std::size_t> entries{};
};

/// Folders and files by number; 0 is the root.
struct tree {
  std::vector<node> nodes{{true, {}, {}}};

  /// The folder that holds the last name of a path, and that name.
  std::optional<std::pair<std::size_t, std::string>> place(const std::string& path) const {
    std::size_t at = 0, begin = 0;
    for (std::size_t slash; (slash = path.find('/', begin)) != std::string::npos;
         begin = slash + 1) {
      const auto found = nodes[at].entries.find(path.substr(begin, slash - begin));
      if (found == nodes[at].entries.end()) return std::nullopt;
      at = found->second;
    }
    return std::pair{at, path.substr(begin)};
  }
  std::optional<std::size_t> find(const std::string& path) const {
    if (path.empty()) return 0;
    const auto in = place(path);
    if (!in) return std::nullopt;
    const auto found = nodes[in->first].entries.find(in->second);
    if (found == nodes[in->first].entries.end()) return std::nullopt;
    return found->second;
  }
  /// Names and contents of the files at and below a path; folders end in /.
  std::map<std::string, std::string> contents(const std::string& path) const {
    std::map<std::string, std::string> out;
    if (const auto at = find(path)) list(*at, "", out);
    return out;
  }
  void list(std::size_t at, const std::string& name,
            std::map<std::string, std::string>& out) const {
    if (!nodes[at].is_folder) {
      out[name] = nodes[at].data;
      return;
    }
    out[name + "/"] = {};
    for (const auto& [entry, below] : nodes[at].entries)
      list(below, name.empty() ? entry : name + "/" + entry, out);
  }
};

/// The tree of a folder on disk.
std::size_t read_tree(const fs::path& folder, tree& out, std::size_t at = 0) {
  for (const auto& one : fs::directory_iterator(folder)) {
    const std::size_t below = out.nodes.size();
    out.nodes.push_back({one.is_directory(), {}, {}});
    out.nodes[at].entries[one.path().filename().string()] = below;
    if (one.is_directory())
      read_tree(one.path(), out, below);
    else
      out.nodes[below].data = runs::text_of(one.path());
  }
  return at;
}

struct operation {
  char kind = 0;
  std::string path{}, other{}, data{};
  std::uint64_t offset = 0, size = 0;
  // Where it happened: nodes of the tree in which all operations are done.
  std::size_t target = 0;  // the file, or the new node
  std::size_t folder = 0, other_folder = 0;
  std::string name{}, other_name{};

  bool of_data() const { return kind == 'W' || kind == 'T' || kind == 'A'; }
  bool of_entries() const { return !of_data() && kind != 'S'; }
  bool changes(std::size_t some_folder) const {
    return of_entries() && (folder == some_folder || (has_other() && other_folder == some_folder));
  }
  bool has_other() const { return kind == 'R' || kind == 'X' || kind == 'L'; }
};

std::vector<operation> read_operations(const fs::path& log) {
  const std::string all = runs::text_of(log);
  std::vector<operation> out;
  for (std::size_t at = 0; at < all.size();) {
    crash::header head;
    std::memcpy(&head, all.data() + at, sizeof head);
    at += sizeof head;
    const auto take = [&](std::uint64_t bytes) {
      at += bytes;
      return all.substr(at - bytes, bytes);
    };
    operation one;
    one.kind = head.kind;
    one.path = take(head.path);
    one.other = take(head.other);
    one.data = take(head.data);
    one.offset = head.offset;
    one.size = head.size;
    out.push_back(std::move(one));
  }
  return out;
}

/// @param kept  bytes of a write that arrive
void change_data(node& file, const operation& one, std::size_t kept) {
  if (one.kind == 'T') file.data.resize(one.size);
  if (one.kind == 'A') file.data.resize(std::max<std::size_t>(file.data.size(), one.size));
  if (one.kind != 'W') return;
  file.data.resize(std::max<std::size_t>(file.data.size(), one.offset + kept));
  file.data.replace(one.offset, kept, one.data, 0, kept);
}

void change_entries(tree& t, const operation& one) {
  auto& here = t.nodes[one.folder].entries;
  const auto found = here.find(one.name);
  if (one.kind == 'C' || one.kind == 'M') {
    here[one.name] = one.target;
  } else if (found == here.end()) {
    return;
  } else if (one.kind == 'U') {
    here.erase(found);
  } else {
    auto& there = t.nodes[one.other_folder].entries;
    const std::size_t moved = found->second;
    if (one.kind == 'X') {
      const auto other = there.find(one.other_name);
      if (other == there.end()) return;
      here[one.name] = other->second;
    } else if (one.kind == 'R') {
      here.erase(found);
    }
    there[one.other_name] = moved;
  }
}

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << why << '\n';
  std::exit(1);
}

/// Do all operations, and note where each happened.
void follow(tree& t, std::vector<operation>& all) {
  for (auto& one : all) {
    const auto missing = [&] { give_up("operation on something unknown: " + one.path); };
    if (one.of_data() || one.kind == 'S') {
      const auto at = t.find(one.path);
      if (!at) missing();
      one.target = *at;
      if (one.of_data()) change_data(t.nodes[*at], one, one.data.size());
      continue;
    }
    const auto in = t.place(one.path);
    if (!in) missing();
    std::tie(one.folder, one.name) = *in;
    if (one.has_other()) {
      const auto to = t.place(one.other);
      if (!to) missing();
      std::tie(one.other_folder, one.other_name) = *to;
    }
    if (one.kind == 'C' || one.kind == 'M') {
      one.target = t.nodes.size();
      t.nodes.push_back({one.kind == 'M', {}, {}});
    }
    change_entries(t, one);
  }
}

/// What is on the disk.
enum class survivors { all, no_unsynced_data, no_unsynced_entries, nothing_unsynced, torn, some };

class states {
 public:
  /// @param before  without the nodes that are made later
  states(tree before, std::vector<operation> all)
      : before_(std::move(before)), all_(std::move(all)) {
    tree after = before_;
    follow(after, all_);
    after_ = after;
    before_.nodes.resize(after.nodes.size());
    for (const auto& one : all_) {
      if (one.kind == 'M') before_.nodes[one.target].is_folder = true;
    }
  }
  const tree& before() const { return before_; }
  const tree& after() const { return after_; }
  std::size_t operations() const { return all_.size(); }

  /// A state after the first `done` operations.
  template <class Random>
  tree make(std::size_t done, survivors kind, Random& random) const {
    const auto chance = [&](unsigned of) { return random() % of == 0; };
    // Of each folder the first changes of its entries, as many as were synced or more.
    std::map<std::size_t, std::size_t> cut;
    std::set<std::size_t> synced;  // files and folders that are synced after this operation
    std::vector<bool> sure(done, false);
    for (std::size_t i = done; i-- > 0;) {
      const operation& one = all_[i];
      if (one.kind == 'S')
        synced.insert(one.target);
      else if (one.of_data())
        sure[i] = synced.contains(one.target);
      else
        sure[i] = synced.contains(one.folder) ||
                  (one.has_other() && synced.contains(one.other_folder));
    }
    const bool keeps_entries = kind == survivors::all || kind == survivors::no_unsynced_data ||
                               kind == survivors::torn;
    for (std::size_t i = 0; i < done; ++i) {
      if (!all_[i].of_entries()) continue;
      const bool kept = sure[i] || keeps_entries || (kind == survivors::some && !chance(4));
      for (const auto folder :
           {all_[i].folder, all_[i].has_other() ? all_[i].other_folder : all_[i].folder}) {
        if (!kept && !cut.contains(folder)) cut[folder] = i;
      }
    }
    // A sure change after a lost one of the same folder brings it back.
    for (std::size_t i = 0; i < done; ++i) {
      if (!all_[i].of_entries() || !sure[i]) continue;
      for (const auto folder :
           {all_[i].folder, all_[i].has_other() ? all_[i].other_folder : all_[i].folder}) {
        if (const auto found = cut.find(folder); found != cut.end() && found->second <= i)
          cut.erase(found);
      }
    }
    tree out = before_;
    for (std::size_t i = 0; i < done; ++i) {
      const operation& one = all_[i];
      if (one.of_entries()) {
        const auto is_lost = [&](std::size_t folder) {
          const auto found = cut.find(folder);
          return found != cut.end() && found->second <= i;
        };
        if (!is_lost(one.folder) && !(one.has_other() && is_lost(one.other_folder)))
          change_entries(out, one);
        continue;
      }
      if (!one.of_data()) continue;
      std::size_t kept = one.data.size();
      bool lost = false;
      if (!sure[i]) {
        lost = kind == survivors::no_unsynced_data || kind == survivors::nothing_unsynced ||
               (kind == survivors::some && chance(3));
        const bool torn = (kind == survivors::torn && i + 1 == done) ||
                          (kind == survivors::some && chance(4));
        if (torn)
          kept = std::min(kept, static_cast<std::size_t>(random() % (kept + 1)) / 512 * 512);
      }
      if (!lost) change_data(out.nodes[one.target], one, kept);
    }
    return out;
  }

 private:
  tree before_, after_;
  std::vector<operation> all_;
};

void write_tree(const tree& t, std::size_t at, const fs::path& to) {
  if (!t.nodes[at].is_folder) {
    std::ofstream(to, std::ios::binary) << t.nodes[at].data;
    return;
  }
  fs::create_directories(to);
  for (const auto& [name, below] : t.nodes[at].entries) write_tree(t, below, to / name);
}

/// Without what holds the time of a run.
std::map<std::string, std::string> without_times(std::map<std::string, std::string> all) {
  for (auto& [name, data] : all) {
    if (name.find("manifest") != std::string::npos) data.clear();
  }
  return all;
}

int check(const job& what, const runs::workplace& place, const std::string& library,
          std::size_t states_of_each, std::size_t reruns) {
  const fs::path root = place.folder() / "root";
  fs::create_directories(root);
  if (!what.earlier.empty()) place.must(what.earlier);
  tree before;
  read_tree(root, before);
  const fs::path log = place.folder() / "log";
  place.must(what.command, {"LD_PRELOAD=" + library, "RECORD_ROOT=" + root.string(),
                            "RECORD_TO=" + log.string()});
  states all(before, read_operations(log));
  tree written;
  read_tree(root, written);
  const std::string out = what.command.back().starts_with("root/out.")
                              ? what.command.back().substr(5)
                              : "out";
  const auto earlier = before.contents(out), made = written.contents(out);
  if (all.after().contents("") != written.contents(""))
    give_up("the record of the run does not give what the run left");
  if (earlier == made) give_up("the run changes nothing");

  std::mt19937_64 random(1);
  std::set<std::uint64_t> seen;
  std::vector<tree> chosen;
  std::size_t made_states = 0, failures = 0, old_ones = 0;
  const auto fail = [&](std::size_t done, const std::string& why) {
    if (++failures <= 10)
      std::cout << what.name << ": after " << done << " of " << all.operations()
                << " operations: " << why << '\n';
  };
  for (std::size_t done = 0; done <= all.operations(); ++done) {
    for (std::size_t s = 0; s < states_of_each; ++s) {
      const tree now = all.make(done, static_cast<survivors>(std::min<std::size_t>(s, 5)), random);
      ++made_states;
      const auto everything = now.contents("");
      std::uint64_t digest = 14695981039346656037u;
      for (const auto& [name, data] : everything) {
        for (const auto* text : {&name, &data}) {
          for (const char c : *text)
            digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211u;
          digest = (digest ^ 256u) * 1099511628211u;
        }
      }
      const auto found = now.contents(out);
      const bool is_old = found == earlier, is_new = found == made;
      old_ones += is_old ? 1 : 0;
      if (!is_old && !is_new) fail(done, "the output is neither the earlier nor the new one");
      if (done == all.operations() && !is_new)
        fail(done, "the run has ended, its output is not there");
      if (seen.insert(digest).second) chosen.push_back(now);
    }
  }
  std::size_t rerun = 0;
  const std::size_t step = reruns == 0 ? chosen.size() + 1
                                       : std::max<std::size_t>(1, chosen.size() / reruns);
  for (std::size_t i = 0; i < chosen.size() && reruns != 0; i += step) {
    const tree& now = chosen[i];
    // What exists is not replaced by convert.
    const bool refused = what.name == "convert" && now.contents(out) == made;
    fs::remove_all(root);
    write_tree(now, 0, root);
    const auto ended = place.run(what.again.empty() ? what.command : what.again);
    ++rerun;
    tree left;
    read_tree(root, left);
    const auto state = [&] {
      std::string names;
      for (const auto& [name, data] : now.contents("")) names += " " + name;
      return names.substr(0, 600);
    };
    if (ended.code != (refused ? 1 : 0))
      fail(i, "the next run ends with " + std::to_string(ended.code) + ": " +
                  ended.errors.substr(0, 300) + state());
    else if (!refused && without_times(left.contents("")) != without_times(written.contents("")))
      fail(i, "the next run leaves something else; before it:" + state());
  }
  std::cout << what.name << ": " << all.operations() << " operations, " << made_states
            << " states, " << seen.size() << " of them different, " << old_ones
            << " with the earlier output; " << rerun << " runs after a crash; " << failures
            << " failures\n";
  return failures == 0 && old_ones != 0 && old_ones != made_states ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const words given(argv + 1, argv + argc);
  const auto found = std::find_if(jobs.begin(), jobs.end(), [&](const job& one) {
    return given.size() == 6 && one.name == given[3];
  });
  if (found == jobs.end()) {
    std::cerr
        << "usage: crash_states PROGRAM LIBRARY FOLDER COMMAND STATES RERUNS; COMMAND is one of";
    for (const auto& one : jobs) std::cerr << ' ' << one.name;
    std::cerr << '\n';
    return 2;
  }
  return check(*found, runs::workplace(given[0], given[2]), fs::absolute(given[1]).string(),
               std::strtoul(given[4].c_str(), nullptr, 10),
               std::strtoul(given[5].c_str(), nullptr, 10));
}
