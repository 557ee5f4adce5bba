// SPDX-License-Identifier: BSL-1.0
/// @file runs.hpp
/// Runs of the program in a folder of their own, and what they leave there.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace runs {

namespace fs = std::filesystem;
using words = std::vector<std::string>;

inline std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Names and contents of all files of a folder, or the contents of one file; files that hold the
/// time of a run are named only.
inline std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> out;
  if (!fs::exists(folder)) return out;
  if (fs::is_regular_file(folder)) return {{"", text_of(folder)}};
  for (const auto& one : fs::recursive_directory_iterator(folder)) {
    const std::string name = one.path().lexically_relative(folder).generic_string();
    if (one.is_regular_file())
      out[name] = name.find("manifest") == std::string::npos ? text_of(one.path()) : "";
  }
  return out;
}

struct ended {
  int code;  // or -1 - signal, or -1000: it did not end
  std::string errors;
};

/// Run the program in a folder. @param environment  NAME=value each
inline ended run(const std::string& program, const fs::path& folder, const words& command,
                 const words& environment) {
  const fs::path errors = folder / "err";
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDWR),
              err = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (::chdir(folder.c_str()) != 0 || ::dup2(null, 0) < 0 || ::dup2(null, 1) < 0 ||
        ::dup2(err, 2) < 0)
      ::_exit(99);
    for (const auto& one : environment) ::putenv(const_cast<char*>(one.c_str()));
    ::execv(program.c_str(), argv.data());
    ::_exit(99);
  }
  const auto start = std::chrono::steady_clock::now();
  int state = 0;
  while (::waitpid(child, &state, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(60)) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &state, 0);
      return {-1000, text_of(errors)};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {WIFEXITED(state) ? WEXITSTATUS(state) : -1 - WTERMSIG(state), text_of(errors)};
}

/// Sentences that are no notes and no progress.
inline std::size_t sentences(const std::string& errors) {
  std::istringstream lines(errors);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);)
    count += line.starts_with("halograph:") && !line.starts_with("halograph: note:") ? 1u : 0u;
  return count;
}

inline words with_threads(words command) {
  command.insert(command.end(), {"--threads", "1"});
  return command;
}

/// A gzip member that holds a text of less than 64 KiB as it is.
inline std::string stored_gzip(const std::string& text) {
  std::uint32_t sum = ~std::uint32_t{0};
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1u) != 0 ? 0xEDB88320u : 0u);
  }
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03\x01", 11);
  const auto put = [&](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 255u);
  };
  const auto size = static_cast<std::uint32_t>(text.size());
  put(size, 2);
  put(size ^ 0xFFFFu, 2);
  out += text;
  put(~sum, 4);
  put(size, 4);
  return out;
}

/// A Zstandard frame that holds a text of less than 128 KiB as it is.
inline std::string stored_zstd(const std::string& text) {
  std::string out("\x28\xb5\x2f\xfd\xa0", 5);
  const auto put = [&](std::size_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 255u);
  };
  put(text.size(), 4);
  put(text.size() * 8 + 1, 3);  // one block, the last
  return out + text;
}

/// A .npy file. @param shape  such as "(2, 50)"
inline std::string npy(const std::string& dtype, const std::string& shape,
                       const std::string& bytes) {
  std::string header = "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': " + shape +
                       ", }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\0\x76\0", 10) + header + '\n' + bytes;
}

/// The numbers of a text in JSON that follow a key, as many as are asked for.
inline std::vector<long> numbers_after(const std::string& text, const std::string& key,
                                       std::size_t count) {
  std::vector<long> out;
  for (std::size_t at = text.find(key) + key.size(); out.size() < count && at < text.size();) {
    at = text.find_first_of("0123456789", at);
    std::size_t used = 0;
    if (at < text.size()) out.push_back(std::stol(text.substr(at), &used));
    at += used;
  }
  return out;
}

/// A folder with small inputs: chunked, the same without features as bare, the same as files of
/// ParMETIS `exported`, what ParMETIS makes of them `cut`, ring.txt and the same in other formats
/// (ring.* and folders), tables with text keys, a GraphAr data set `shop`, a partition `parts`,
/// `rows` of a node type of its parts, and an assignment `assigned`.
class workplace {
 public:
  /// @param with_parquet  also `parquet`, the graph of `parts`; the program needs DuckDB
  explicit workplace(std::string program, fs::path folder, bool with_parquet = false)
      : program_(fs::absolute(program).string()), folder_(fs::absolute(folder)) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    folder_ = fs::canonical(folder_);
    std::ofstream ring(folder_ / "ring.txt");
    std::string edges;
    for (int v = 0; v < 50; ++v)
      edges += std::to_string(v) + ' ' + std::to_string((v * 7 + 1) % 50) + '\n';
    ring << edges;
    ring.close();
    std::ofstream(folder_ / "ring.txt.gz", std::ios::binary) << stored_gzip(edges);
    must({"convert", "ring.txt", "--to", "metis", "--out", "ring.graph"});
    must({"convert", "ring.txt", "--to", "matrix-market", "--out", "ring.mtx"});
    must({"generate", "hetero", "--nodes", "60", "--features", "2", "--chunks", "2", "--out",
          "chunked"});
    must({"generate", "hetero", "--nodes", "60", "--features", "0", "--chunks", "2", "--out",
          "bare"});
    must({"partition", "--input", "chunked", "--parts", "2", "--out", "parts"});
    must({"assign", "--in-dir", "chunked", "--parts", "3", "--method", "ldg", "--out-dir",
          "assigned"});
    must({"parmetis", "export", "--input", "chunked", "--out", "exported"});
    must({"chunk", "--input", "ring.txt", "--format", "numpy", "--out", "arrays"});
    must({"convert", "ring.txt", "--to", "galois", "--out", "ring.gr"});
    must({"parmetis", "partition", "--graph-name", "hetero", "--num-parts", "2", "--input-dir",
          "exported", "--out", "cut"});
    write_other_formats(edges);
    write_rows();
    if (with_parquet)
      must({"chunk", "--input", "parts", "--format", "parquet", "--feature-format", "parquet",
            "--out", "parquet"});
  }
  const fs::path& folder() const { return folder_; }

  ended run(const words& command, const words& environment = {}) const {
    return runs::run(program_, folder_, with_threads(command), environment);
  }
  void must(const words& command, const words& environment = {}) const {
    const ended done = run(command, environment);
    if (done.code == 0) return;
    std::cerr << "the run without faults failed: " << done.errors;
    std::exit(1);
  }

 private:
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  /// @param edges  of 50 nodes, 50 lines of source and target
  void write_other_formats(const std::string& edges) const {
    std::istringstream in(edges);
    std::string dimacs = "p sp 50 50\n", ligra = "AdjacencyGraph\n50\n50\n", ends, pairs,
                graphml = "<graphml><graph edgedefault=\"directed\">\n", links, ids, sources,
                targets, rows, byte_rows, neighbors, sizes;
    const auto put = [](std::string& out, long value, int bytes) {
      for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 255);
    };
    for (long u = 0, v = 0, i = 0; in >> u >> v; ++i) {
      const std::string from = std::to_string(u), to = std::to_string(v);
      dimacs += "a " + std::to_string(u + 1) + ' ' + std::to_string(v + 1) + " 1\n";
      ligra += from + '\n';
      ends += to + '\n';
      put(pairs, u, 4);
      put(pairs, v, 4);
      put(sources, u, 8);
      put(targets, v, 8);
      put(neighbors, v, 4);
      put(rows, i, 8);
      put(byte_rows, 24 + 8 * 51 + 8 * i, 8);
      ids += (i == 0 ? "" : ", ") + ("{\"id\": " + from + "}");
      links += (i == 0 ? "" : ", ") + ("{\"source\": " + from + ", \"target\": " + to + "}");
      graphml += "<node id=\"" + from + "\"/><edge source=\"" + from + "\" target=\"" + to +
                 "\"/>\n";
    }
    write("dimacs/ring.gr", dimacs);
    write("ring.adj", ligra + ends);
    write("ring.bin32", pairs);
    write("ring.graphml", graphml + "</graph></graphml>\n");
    write("ring.json", "{\"directed\": true, \"multigraph\": true, \"graph\": {}, \"nodes\": [" +
                           ids + "], \"links\": [" + links + "]}\n");
    write("ogb/node___to___node/edge_index.npy", npy("<i8", "(2, 50)", sources + targets));
    write("ogb/num_nodes.json", "{\"node\": 50}\n");
    write("ring.txt.zst", stored_zstd(edges));
    put(rows, 50, 8);
    put(byte_rows, 24 + 8 * 51 + 8 * 50, 8);
    put(sizes, 50, 8);
    put(sizes, 50, 8);
    write("ring.sg", std::string(1, '\0') + sizes + rows + neighbors);
    write("ring.parhip", std::string("\3\0\0\0\0\0\0\0", 8) + sizes + byte_rows + targets);
    write_tables(edges);
    write_graphar(edges);
  }
  /// Users with text keys and what they buy, of edges sorted by source.
  void write_tables(const std::string& edges) const {
    std::istringstream in(edges);
    std::string users = "id,age\n", buys = "user,item\n";
    for (long u = 0, v = 0; in >> u >> v;) {
      users += 'u' + std::to_string(u) + ',' + std::to_string(20 + u) + '\n';
      buys += 'u' + std::to_string(u) + ',' + std::to_string(v) + '\n';
    }
    write("tables/users.csv", users);
    write("tables/buys.csv", buys);
    write("tables/tables.json",
          R"({"nodes": {"user": {"files": ["users.csv"], "key": "id", "features": {"age": )"
          R"({"columns": "age", "dtype": "int64"}}}, "item": {"keys": "integer"}}, "edges": )"
          R"({"user:buys:item": {"files": ["buys.csv"], "source": "user", "target": "item"}}})");
  }
  /// The same as a GraphAr data set of chunks of 25 nodes.
  void write_graphar(const std::string& edges) const {
    const auto count = [](char number) { return number + std::string(7, '\0'); };
    const std::string set = "shop/edge/user_knows_user/ordered_by_source/";
    std::istringstream in(edges);
    std::string users, knows;
    for (long u = 0, v = 0; in >> u >> v;) {
      const std::string chunk = std::to_string(u / 25);
      if (u % 25 == 0) {
        users = "_graphArVertexIndex,age\n";
        knows = "_graphArSrcIndex,_graphArDstIndex\n";
      }
      users += std::to_string(u) + ',' + std::to_string(20 + u) + '\n';
      knows += std::to_string(u) + ',' + std::to_string(v) + '\n';
      if (u % 25 != 24) continue;
      write("shop/vertex/user/age/chunk" + chunk, users);
      write(set + "adj_list/part" + chunk + "/chunk0", knows);
      write(set + "edge_count" + chunk, count(25));
    }
    write("shop/vertex/user/vertex_count", count(50));
    write("shop/shop.graph.yml",
          "name: shop\nvertices: [user.vertex.yml]\nedges: [user_knows_user.edge.yml]\n"
          "version: gar/v1\n");
    write("shop/user.vertex.yml",
          "type: user\nchunk_size: 25\nprefix: vertex/user/\nproperty_groups:\n"
          "  - properties: [{name: age, data_type: int64, is_primary: false}]\n"
          "    prefix: age/\n    file_type: csv\nversion: gar/v1\n");
    write("shop/user_knows_user.edge.yml",
          "src_type: user\nedge_type: knows\ndst_type: user\nchunk_size: 64\n"
          "src_chunk_size: 25\ndst_chunk_size: 25\ndirected: true\n"
          "prefix: edge/user_knows_user/\nadj_lists:\n"
          "  - {ordered: true, aligned_by: src, prefix: ordered_by_source/, file_type: csv}\n"
          "version: gar/v1\n");
  }
  /// A row for each paper of each part, as a trainer writes them.
  void write_rows() const {
    const auto range = numbers_after(
        text_of(folder_ / "parts/hetero.json")
            .substr(text_of(folder_ / "parts/hetero.json").find("\"node_map\"")),
        "\"paper\"", 4);
    for (std::size_t p = 0; p < 2; ++p) {
      const long rows = range.at(2 * p + 1) - range.at(2 * p);
      write("rows/part" + std::to_string(p) + ".npy",
            npy("<f4", "(" + std::to_string(rows) + ",)",
                std::string(static_cast<std::size_t>(4 * rows), '\1')));
    }
  }

  std::string program_;
  fs::path folder_;
};

}  // namespace runs
