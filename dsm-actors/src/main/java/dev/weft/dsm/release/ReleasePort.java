package dev.weft.dsm.release;

import dev.weft.dsm.home.Outbox;

/** The way to the other nodes. Called in the receive context. */
public interface ReleasePort extends Outbox {
  /** Writes a piece of this node's frames to the same place of {@code node}'s, before anything that is sent to it afterwards. */
  void write(long offset, int bytes, int node);
}
