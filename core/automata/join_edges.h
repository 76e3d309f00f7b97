// Sorts the edges of one state and joins equivalent ones.
//
// Tests: tests/differential/test_engine_vs_twin.py
//
// EXAMPLE   [a-b] to 1, [c-d] to 1, [e] to 2: the first two become [a-d] to 1, with the origins of
//           both.
//
// COST      a sort, unless the edges are in order. Origins are united once for each resulting edge,
//           since thousands of literals may be merged into one.
#pragma once

#include <algorithm>
#include <vector>

#include "automata/fsm.h"

namespace xg2lab {

// Sorts by key(edge). absorbs(a, b): whether b is merged into a; if so, it updates a's range, and a
// gets the origins of both. `together` is scratch.
template <class Edge, class Key, class Absorbs>
void join_edges(std::vector<Edge>& edges, Key key, Absorbs absorbs, OriginSets& origins,
                std::vector<OriginSetId>& together) {
  const auto is_less = [&](const Edge& a, const Edge& b) { return key(a) < key(b); };
  if (!std::is_sorted(edges.begin(), edges.end(), is_less))
    std::sort(edges.begin(), edges.end(), is_less);
  size_t n_joined = 0;
  for (size_t i = 0; i < edges.size();) {
    Edge edge = edges[i];
    together.assign(1, edge.origins);
    while (++i < edges.size() && absorbs(edge, edges[i])) together.push_back(edges[i].origins);
    edge.origins = origins.unite(together);
    edges[n_joined++] = edge;
  }
  edges.resize(n_joined);
}

}  // namespace xg2lab
