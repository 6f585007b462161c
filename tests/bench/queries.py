#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does a flood of server queries, connect requests and connects cost an arena, next to
receiving the same datagrams and doing nothing? Writes every figure to build/bench/queries.csv."""

import cases


def main():
    ns = cases.run("queries", "ns a datagram", __doc__)
    bare = ns["bare recvmmsg"]
    print(f"bench queries bare_ns={bare:.0f} limited_ns={ns['transport: limited']:.0f}"
          f" limited_by_bare={ns['transport: limited'] / bare:.2f}"
          f" guard_by_bare={ns['guard: limited'] / bare:.3f}"
          f" forged_by_bare={ns['transport: connect, no cookie'] / bare:.2f}"
          f" connect_request_answered_ns={ns['transport: connect_requests answered']:.0f}")


if __name__ == "__main__":
    main()
