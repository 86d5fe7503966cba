package dev.weft.lab.sim.rc;

import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.lab.kit.Checker;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.Violations;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One node of the run: its memory with the expected content, and its completion queues. */
final class SimNode implements Checker {
  static final byte GUARD = (byte) 0xa5;
  static final int SOURCE_BYTES = 48 * 1024;
  private static final int WORDS_MAX = 4;

  final int index;
  final Draw draw;
  final byte[] source = new byte[SOURCE_BYTES];
  final List<AtomicWord> words = new ArrayList<>();
  final List<SimCq> cqs = new ArrayList<>();
  /** The expected content of the windows at the end. */
  private byte[] windows = new byte[0];
  private int localBytes = 16;
  private final MemorySegment[] segments = new MemorySegment[Piece.Area.values().length];
  private final MemoryRegion[] regions = new MemoryRegion[Piece.Area.values().length];
  Node node;
  Hca hca;
  ProtectionDomain pd;

  SimNode(int index, Draw draw) {
    this.index = index;
    this.draw = draw;
    for (int i = 0; i < source.length; i += 8) {
      long bits = draw.nextLong();
      for (int b = 0; b < 8; b++) {
        source[i + b] = (byte) (bits >>> (8 * b));
      }
    }
    for (int i = draw.between(1, WORDS_MAX); i > 0; i--) {
      long initial = draw.chance(0.3) ? Long.MAX_VALUE - draw.between(0, 500) : draw.nextLong();
      words.add(new AtomicWord(index, words.size(), initial, draw.chance(0.6)));
    }
    for (int i = draw.between(1, 3); i > 0; i--) {
      cqs.add(new SimCq(this, cqs.size(), draw));
    }
  }

  /** Reserves bytes of the local area, with a gap after them. */
  int allocateLocal(int length) {
    int at = localBytes;
    localBytes += length + draw.between(1, 9);
    return at;
  }

  /** Reserves a window; returns its offset. */
  int allocateWindow(int length) {
    int at = windows.length + draw.between(1, 9);
    int before = windows.length;
    windows = Arrays.copyOf(windows, at + length + 8);
    Arrays.fill(windows, before, windows.length, GUARD);
    return at;
  }

  /** The content of the windows after all writes planned so far. */
  byte[] windowModel() {
    return windows;
  }

  /** Registers the memory, after the plan is complete. */
  void register(Node simulated, SimulationMemory memory) {
    node = simulated;
    hca = simulated.hca();
    pd = hca.allocPd();
    MemorySegment sourceMemory = area(memory, Piece.Area.SOURCE, SOURCE_BYTES, Access.REMOTE_READ);
    MemorySegment.copy(source, 0, sourceMemory, ValueLayout.JAVA_BYTE, 0, SOURCE_BYTES);
    area(memory, Piece.Area.LOCAL, localBytes + 16, Access.LOCAL_WRITE).fill(GUARD);
    area(memory, Piece.Area.WINDOWS, windows.length + 16,
        Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ).fill(GUARD);
    MemorySegment wordMemory = area(memory, Piece.Area.WORDS, words.size() * 8, Access.LOCAL_WRITE | Access.REMOTE_ATOMIC);
    for (AtomicWord word : words) {
      wordMemory.set(ValueLayout.JAVA_LONG, word.index * 8L, word.initial);
    }
    for (SimCq cq : cqs) {
      cq.create();
    }
  }

  private MemorySegment area(SimulationMemory memory, Piece.Area area, int length, int access) {
    MemorySegment segment = memory.allocate(length);
    segments[area.ordinal()] = segment;
    long iova = (draw.nextLong() >>> 8) & -64L;
    regions[area.ordinal()] = hca.regMr(pd, segment, iova, access);
    return segment;
  }

  MemorySegment memory(Piece.Area area) {
    return segments[area.ordinal()];
  }

  MemorySegment memory(Piece piece) {
    return memory(piece.area()).asSlice(piece.offset(), piece.length());
  }

  MemoryRegion region(Piece.Area area) {
    return regions[area.ordinal()];
  }

  long word(AtomicWord word) {
    return memory(Piece.Area.WORDS).get(ValueLayout.JAVA_LONG, word.index * 8L);
  }

  /** Checks all memory, when nothing is outstanding. */
  @Override
  public void checkFinished(Violations violations) {
    compare("source", memory(Piece.Area.SOURCE), source, violations);
    compare("windows", memory(Piece.Area.WINDOWS), Arrays.copyOf(windows, windows.length), violations);
    MemorySegment local = memory(Piece.Area.LOCAL);
    byte[] guard = new byte[(int) local.byteSize()];
    Arrays.fill(guard, GUARD);
    compare("local area", local, guard, violations);
    for (AtomicWord word : words) {
      word.check(word(word), violations);
    }
  }

  private void compare(String name, MemorySegment memory, byte[] model, Violations violations) {
    long at = memory.asSlice(0, model.length).mismatch(MemorySegment.ofArray(model));
    if (at >= 0) {
      violations.add("node " + index + ": byte " + at + " of its " + name + " is "
          + Integer.toHexString(memory.get(ValueLayout.JAVA_BYTE, at) & 0xff) + ", must be "
          + Integer.toHexString(model[(int) at] & 0xff));
    }
  }

  CompletionQueue cq(int number) {
    return cqs.get(number).cq;
  }
}
