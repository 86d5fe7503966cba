package dev.weft.dsm.sharing;

import java.util.Arrays;

/**
 * The words of one minipage that the faults of each node wanted. A fault knows the words that its thread wanted; later accesses, while the node has
 * the minipage, are not seen. So this is a sample, which grows each time the minipage is taken away.
 *
 * <p>Bounds: {@value #CHUNKS_MAX} chunks, that is, single words of a minipage of up to 4 KiB; {@value #NODES_MAX} nodes. Words of faults older than
 * the last {@value #GENERATION} to {@code 2 * GENERATION} are forgotten, because programs have phases.
 */
final class WordTouches {
  static final int CHUNKS_MAX = 512;
  static final int NODES_MAX = 8;
  static final int GENERATION = 256;
  private static final int WORD_BYTES = 8;

  /** Bits of chunks, of the present generation and of the one before. */
  private final class OfNode {
    final int node;
    long[] read = new long[longs];
    long[] written = new long[longs];
    long[] readBefore = new long[longs];
    long[] writtenBefore = new long[longs];

    OfNode(int node) {
      this.node = node;
    }

    void age() {
      readBefore = read;
      writtenBefore = written;
      read = new long[longs];
      written = new long[longs];
    }

    boolean hasRead(int chunk) {
      return ((read[chunk >> 6] | readBefore[chunk >> 6]) >>> chunk & 1) != 0;
    }

    boolean hasWritten(int chunk) {
      return ((written[chunk >> 6] | writtenBefore[chunk >> 6]) >>> chunk & 1) != 0;
    }

    boolean hasTouched(int chunk) {
      return hasRead(chunk) || hasWritten(chunk);
    }
  }

  private final int chunkWords;
  private final int chunks;
  private final int longs;
  private OfNode[] nodes = new OfNode[2];
  private int count;
  private int touches;
  private long shared;
  private long apart;

  /** @param bytes size of the minipage */
  WordTouches(long bytes) {
    long words = (bytes + WORD_BYTES - 1) / WORD_BYTES;
    chunkWords = Math.toIntExact((words + CHUNKS_MAX - 1) / CHUNKS_MAX);
    chunks = Math.toIntExact((words + chunkWords - 1) / chunkWords);
    longs = (chunks + Long.SIZE - 1) / Long.SIZE;
  }

  /** Counts a fault of a node: shared if another node used the same words and at least one of the two writes. */
  void touch(int node, boolean isWrite, int firstWord, int lastWord) {
    OfNode own = of(node);
    if (own == null || firstWord < 0 || lastWord < firstWord) {
      return;
    }
    int from = Math.min(firstWord / chunkWords, chunks - 1);
    int to = Math.min(lastWord / chunkWords, chunks - 1);
    if (count > 1) {
      if (conflicts(own, isWrite, from, to)) {
        shared++;
      } else {
        apart++;
      }
    }
    if (++touches % GENERATION == 0) {
      for (int i = 0; i < count; i++) {
        nodes[i].age();
      }
    }
    long[] bits = isWrite ? own.written : own.read;
    for (int chunk = from; chunk <= to; chunk++) {
      bits[chunk >> 6] |= 1L << chunk;
    }
  }

  /** Returns null if there are too many. */
  private OfNode of(int node) {
    for (int i = 0; i < count; i++) {
      if (nodes[i].node == node) {
        return nodes[i];
      }
    }
    if (count == NODES_MAX) {
      return null;
    }
    if (count == nodes.length) {
      nodes = Arrays.copyOf(nodes, count * 2);
    }
    nodes[count] = new OfNode(node);
    return nodes[count++];
  }

  private boolean conflicts(OfNode own, boolean isWrite, int from, int to) {
    for (int i = 0; i < count; i++) {
      OfNode other = nodes[i];
      for (int chunk = from; other != own && chunk <= to; chunk++) {
        if (other.hasWritten(chunk) || isWrite && other.hasRead(chunk)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Faults for words that another node used, too. */
  long shared() {
    return shared;
  }

  /** Faults for words that no other node used. */
  long apart() {
    return apart;
  }

  /** Number of nodes that used the minipage. */
  int nodes() {
    return count;
  }

  int chunks() {
    return chunks;
  }

  long chunkBytes() {
    return (long) chunkWords * WORD_BYTES;
  }

  int node(int nth) {
    return nodes[nth].node;
  }

  /** First chunk that the nth node used; -1 if it used none lately. */
  int first(int nth) {
    int chunk = 0;
    while (chunk < chunks && !nodes[nth].hasTouched(chunk)) {
      chunk++;
    }
    return chunk == chunks ? -1 : chunk;
  }

  /** Last chunk that the nth node used; -1 if it used none lately. */
  int last(int nth) {
    int chunk = chunks - 1;
    while (chunk >= 0 && !nodes[nth].hasTouched(chunk)) {
      chunk--;
    }
    return chunk;
  }

  /** Bit n: the nth node wrote the chunk. */
  int writers(int chunk) {
    int set = 0;
    for (int i = 0; i < count; i++) {
      set |= nodes[i].hasWritten(chunk) ? 1 << i : 0;
    }
    return set;
  }

  /** Bit n: the nth node read or wrote the chunk. */
  int touchers(int chunk) {
    int set = 0;
    for (int i = 0; i < count; i++) {
      set |= nodes[i].hasTouched(chunk) ? 1 << i : 0;
    }
    return set;
  }
}
