// SPDX-License-Identifier: BSL-1.0
// The C interface as its callers see it.
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

using idx = std::int32_t;
extern "C" {
int METIS_SetDefaultOptions(idx*);
int METIS_PartGraphKway(idx*, idx*, idx*, idx*, idx*, idx*, idx*, idx*, float*, float*, idx*, idx*,
                        idx*);
int METIS_MeshToDual(idx*, idx*, idx*, idx*, idx*, idx*, idx**, idx**);
int METIS_MeshToNodal(idx*, idx*, idx*, idx*, idx*, idx**, idx**);
int METIS_PartMeshDual(idx*, idx*, idx*, idx*, idx*, idx*, idx*, idx*, float*, idx*, idx*, idx*,
                       idx*);
int METIS_PartMeshNodal(idx*, idx*, idx*, idx*, idx*, idx*, idx*, float*, idx*, idx*, idx*, idx*);
int METIS_Free(void*);
int METIS_NodeND(idx*, idx*, idx*, idx*, idx*, idx*, idx*);
}

namespace {

int failures = 0;
void expect(bool holds, const char* what) {
  if (!holds) std::printf("failed: %s\n", what), ++failures;
}

struct call {
  idx n = 0, ncon = 1, parts = 4, cut = -1, options[40];
  std::vector<idx> xadj, adjncy, vwgt, vsize, adjwgt, part;
  std::vector<float> tpwgts, ubvec;
  explicit call(idx base = 0, idx side = 20) : n(side * side), part(std::size_t(n), -7) {
    METIS_SetDefaultOptions(options);
    options[17] = base;
    xadj.push_back(base);
    for (idx y = 0; y < side; ++y)
      for (idx x = 0; x < side; ++x) {
        const idx v = y * side + x + base;
        if (y) adjncy.push_back(v - side);
        if (x) adjncy.push_back(v - 1);
        if (x + 1 < side) adjncy.push_back(v + 1);
        if (y + 1 < side) adjncy.push_back(v + side);
        xadj.push_back(idx(adjncy.size()) + base);
      }
  }
  template <class T>
  static T* data(std::vector<T>& of) {
    return of.empty() ? nullptr : of.data();
  }
  int run() {
    return METIS_PartGraphKway(&n, &ncon, xadj.data(), adjncy.data(), data(vwgt), data(vsize),
                               data(adjwgt), &parts, data(tpwgts), data(ubvec), options, &cut,
                               part.data());
  }
  idx counted() const {
    idx sum = 0, base = options[17];
    for (std::size_t v = 0; v < part.size(); ++v)
      for (auto i = std::size_t(xadj[v] - base); i < std::size_t(xadj[v + 1] - base); ++i)
        if (part[v] != part[std::size_t(adjncy[i] - base)]) sum += adjwgt.empty() ? 1 : adjwgt[i];
    return sum / 2;
  }
  /// Connected components, summed over all parts.
  idx pieces() const {
    idx count = 0, base = options[17];
    std::vector<bool> seen(part.size());
    for (std::size_t first = 0; first < part.size(); ++first) {
      if (seen[first]) continue;
      ++count;
      std::vector<std::size_t> next{first};
      seen[first] = true;
      while (!next.empty()) {
        const std::size_t v = next.back();
        next.pop_back();
        for (auto i = std::size_t(xadj[v] - base); i < std::size_t(xadj[v + 1] - base); ++i)
          if (const auto u = std::size_t(adjncy[i] - base); !seen[u] && part[u] == part[v])
            seen[u] = true, next.push_back(u);
      }
    }
    return count;
  }
  std::vector<idx> sizes() const {
    std::vector<idx> out(std::size_t(parts), 0);
    for (const idx p : part) ++out.at(std::size_t(p - options[17]));
    return out;
  }
};

/// A square of side x side quadrilaterals.
struct quads {
  idx side, ne = side * side, nn = (side + 1) * (side + 1), base;
  std::vector<idx> eptr{base}, eind{};
  explicit quads(idx side_, idx base_ = 0) : side(side_), base(base_) {
    for (idx y = 0; y < side; ++y)
      for (idx x = 0; x < side; ++x) {
        const idx v = y * (side + 1) + x + base;
        eind.insert(eind.end(), {v, v + 1, v + side + 2, v + side + 1});
        eptr.push_back(idx(eind.size()) + base);
      }
  }
};

void check_meshes() {
  for (const idx base : {0, 1}) {
    quads mesh(3, base);
    idx common = 2, flag = base, *xadj = nullptr, *adjncy = nullptr;
    expect(METIS_MeshToDual(&mesh.ne, &mesh.nn, mesh.eptr.data(), mesh.eind.data(), &common, &flag,
                            &xadj, &adjncy) == 1,
           "dual graph");
    expect(xadj[0] == base && xadj[9] - base == 24, "12 inner sides");
    bool middle = xadj[5] - xadj[4] == 4;
    for (idx i = xadj[4]; i < xadj[5]; ++i) {
      const idx u = adjncy[i - base] - base;
      middle = middle && (u == 1 || u == 3 || u == 5 || u == 7);
    }
    expect(middle, "neighbors of the quadrilateral in the middle");
    METIS_Free(xadj), METIS_Free(adjncy);
    common = 1;
    METIS_MeshToDual(&mesh.ne, &mesh.nn, mesh.eptr.data(), mesh.eind.data(), &common, &flag, &xadj,
                     &adjncy);
    expect(xadj[5] - xadj[4] == 8, "neighbors over corners");
    METIS_Free(xadj), METIS_Free(adjncy);
    METIS_MeshToNodal(&mesh.ne, &mesh.nn, mesh.eptr.data(), mesh.eind.data(), &flag, &xadj,
                      &adjncy);
    expect(xadj[1] - xadj[0] == 3 && xadj[6] - xadj[5] == 8, "neighbors of nodes");
    METIS_Free(xadj), METIS_Free(adjncy);

    quads large(24, base);
    idx parts = 4, cut = 0, options[40];
    METIS_SetDefaultOptions(options);
    options[17] = base;
    common = 2;
    std::vector<idx> epart(std::size_t(large.ne)), npart(std::size_t(large.nn));
    const auto sound = [&](bool dual) {
      std::vector<idx> e(4), n(4);
      for (const idx p : epart) ++e.at(std::size_t(p - base));
      for (const idx p : npart) ++n.at(std::size_t(p - base));
      for (std::size_t p = 0; p < 4; ++p) {
        expect(e[p] >= 1 && e[p] <= (dual ? 149 : 180), "elements of a part");
        expect(n[p] >= 1 && n[p] <= (dual ? 195 : 161), "nodes of a part");
      }
      for (std::size_t i = 0; i < epart.size(); ++i) {  // follows one of its own
        bool near = false;
        for (std::size_t j = 4 * i; j < 4 * i + 4; ++j)
          near = near || npart[std::size_t(large.eind[j] - base)] == epart[i];
        if (!dual) expect(near, "an element goes with its nodes");
      }
    };
    expect(METIS_PartMeshDual(&large.ne, &large.nn, large.eptr.data(), large.eind.data(), nullptr,
                              nullptr, &common, &parts, nullptr, options, &cut, epart.data(),
                              npart.data()) == 1 &&
               cut > 0 && cut < 90,
           "parts by elements");
    sound(true);
    expect(METIS_PartMeshNodal(&large.ne, &large.nn, large.eptr.data(), large.eind.data(), nullptr,
                               nullptr, &parts, nullptr, options, &cut, epart.data(),
                               npart.data()) == 1 &&
               cut > 0,
           "parts by nodes");
    sound(false);
    large.eind[7] = large.nn + base;
    expect(METIS_PartMeshDual(&large.ne, &large.nn, large.eptr.data(), large.eind.data(), nullptr,
                              nullptr, &common, &parts, nullptr, options, &cut, epart.data(),
                              npart.data()) == -2,
           "a node that is none is refused");
  }
}

}  // namespace

int main() {
  check_meshes();
  call plain, again, from_one(1);
  expect(plain.run() == 1 && again.run() == 1 && from_one.run() == 1, "three calls");
  expect(plain.part == again.part, "the same call, the same parts");
  expect(plain.cut == plain.counted() && plain.cut > 0 && plain.cut < 80, "the cut");
  for (const idx size : plain.sizes()) expect(size > 0 && size <= 103, "balance");
  for (std::size_t v = 0; v < plain.part.size(); ++v)
    expect(from_one.part[v] == plain.part[v] + 1, "numbering 1");

  call heavy;
  heavy.ncon = 2;
  heavy.adjwgt.assign(heavy.adjncy.size(), 5);
  for (idx v = 0; v < heavy.n; ++v) heavy.vwgt.insert(heavy.vwgt.end(), {1, v < 200 ? 1 : 0});
  heavy.ubvec = {1.1f, 1.1f};
  expect(heavy.run() == 1 && heavy.cut == heavy.counted() && heavy.cut % 5 == 0, "edge weights");
  std::vector<idx> upper(4);
  for (std::size_t v = 0; v < 200; ++v) ++upper.at(std::size_t(heavy.part[v]));
  for (const idx size : upper) expect(size <= 55, "the second constraint");
  for (const idx size : heavy.sizes()) expect(size <= 110, "the first constraint");

  call shares;
  shares.parts = 2;
  shares.tpwgts = {0.25f, 0.75f};
  expect(shares.run() == 1 && shares.sizes()[0] <= 103 && shares.sizes()[0] >= 90, "tpwgts");
  call volume;
  volume.options[1] = 1;
  volume.vsize.assign(400, 3);
  expect(volume.run() == 1 && volume.cut > 0 && volume.cut % 3 == 0, "volume");

  // Edges of very different weights: parts come apart.
  call apart, contiguous;
  for (call* one : {&apart, &contiguous}) {
    one->parts = 8;
    for (idx v = 0; v < one->n; ++v)
      for (idx i = one->xadj[std::size_t(v)]; i < one->xadj[std::size_t(v) + 1]; ++i) {
        const idx u = one->adjncy[std::size_t(i)], low = u < v ? u : v, high = u < v ? v : u,
                  drawn = idx((std::uint32_t(low) * 7919u + std::uint32_t(high) * 104729u) % 9);
        one->adjwgt.push_back(1 + drawn * drawn);
      }
  }
  contiguous.options[11] = 1;
  expect(apart.run() == 1 && contiguous.run() == 1 && contiguous.cut == contiguous.counted(),
         "CONTIG");
  expect(apart.pieces() > 8 && contiguous.pieces() == 8, "CONTIG joins pieces");

  call far, one_way, uneven, negative, contig, options, order;
  far.adjncy[3] = 400;
  one_way.adjncy[0] = 399;
  uneven.adjwgt.assign(uneven.adjncy.size(), 1), uneven.adjwgt[0] = 2;
  negative.vwgt.assign(400, -1);
  contig.options[11] = 2;
  options.options[17] = 2;
  order.xadj[5] = 9999;
  for (call* bad : {&far, &one_way, &uneven, &negative, &contig, &options, &order})
    expect(bad->run() == -2 && bad->part[0] == -7, "bad input is refused, nothing written");
  expect(METIS_NodeND(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == -4,
         "NodeND is refused");

  call left, right;
  std::thread a([&] { left.run(); }), b([&] { right.run(); });
  a.join(), b.join();
  expect(left.part == plain.part && right.part == plain.part, "two threads at once");
  return failures == 0 ? 0 : 1;
}
