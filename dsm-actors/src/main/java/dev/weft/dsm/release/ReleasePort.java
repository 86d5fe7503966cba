package dev.weft.dsm.release;

import dev.weft.dsm.home.Outbox;

/** Sends messages and data to the other nodes. Called in the receive context. */
public interface ReleasePort extends Outbox {
  /** Writes a piece of this node's frames to the same place in {@code node}'s frames, before later messages to that node. */
  void write(long offset, int bytes, int node);
}
