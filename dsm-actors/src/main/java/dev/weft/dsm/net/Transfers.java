package dev.weft.dsm.net;

import dev.weft.dsm.member.NodeCore;

/** Moves minipages between the frames of two nodes by RDMA. Called in the receive context. */
public interface Transfers {
  /** Writes this node's frame into {@code node}'s frame, before later messages to that node. */
  void write(int minipage, int node);

  /** Reads {@code node}'s frame into this node's frame; {@link NodeCore#onFetched} follows, unless that node is lost. */
  void read(int minipage, int op, int node);
}
