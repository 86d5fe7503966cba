package dev.weft.tripwire.connect;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Memory that the other side of a call fills: first its address, then a block. The word of each is written after it, so that the announced content is
 * there.
 */
public final class Mailbox implements AutoCloseable {
  /** Longest block in bytes. */
  public static final int BLOCK_MAX = 512;

  static final long HELLO_WORD = 0;
  static final long BLOCK_WORD = 8;
  private static final long HELLO = 64;
  private static final long BLOCK = HELLO + 64;
  private static final int WORDS_BYTES = 16;
  private static final int LENGTH_SHIFT = 16;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final LocalAperture aperture;
  private final Tripwire ready;
  private boolean closed;

  Mailbox(Nic nic) {
    Undo undo = new Undo();
    undo.add(arena, Arena::close);
    memory = arena.allocate(BLOCK + BLOCK_MAX, 64);
    try {
      aperture = undo.add(nic.export(memory), LocalAperture::revoke);
      ready = nic.tripwire();
    } catch (NicException exhausted) {
      undo.run();
      throw exhausted;
    }
    ready.set(aperture, Watch.WRITE, HELLO_WORD, WORDS_BYTES, false);
    ready.arm();
  }

  Descriptor descriptor() {
    return aperture.descriptor(Rights.WRITE);
  }

  /** Fires each time that something has arrived. */
  Tripwire ready() {
    return ready;
  }

  private long word(long offset) {
    return (long) LONG.getAcquire(memory, offset);
  }

  /** The other side's mailbox; null until its address has arrived. */
  Descriptor hello() {
    return word(HELLO_WORD) == 0 ? null : Descriptor.fromBytes(memory.asSlice(HELLO, Descriptor.LENGTH).toArray(ValueLayout.JAVA_BYTE), 0);
  }

  /** The code with the other side's block, 1 or more; 0 if there is none yet. */
  int code() {
    return (int) word(BLOCK_WORD) & (1 << LENGTH_SHIFT) - 1;
  }

  /** A copy of the block; valid only if there is a code. */
  byte[] block() {
    int length = (int) (word(BLOCK_WORD) >>> LENGTH_SHIFT);
    return memory.asSlice(BLOCK, Math.clamp(length, 0, BLOCK_MAX)).toArray(ValueLayout.JAVA_BYTE);
  }

  /** Sends this mailbox's address to another mailbox; returns false if the NIC has no room: call again. */
  static boolean sayHello(RemoteAperture to, Mailbox own) {
    return to.write(HELLO, MemorySegment.ofArray(own.descriptor().toBytes()), 0, Descriptor.LENGTH) && to.writeLong(HELLO_WORD, 1);
  }

  /** Writes a block to another mailbox; returns false as {@link #sayHello}. */
  static boolean put(RemoteAperture to, int code, byte[] block) {
    return (block.length == 0 || to.write(BLOCK, MemorySegment.ofArray(block), 0, block.length))
        && to.writeLong(BLOCK_WORD, (long) block.length << LENGTH_SHIFT | code);
  }

  static void checkBlock(byte[] block) {
    if (block.length > BLOCK_MAX) {
      throw new IllegalArgumentException("a block of " + block.length + " bytes, want at most " + BLOCK_MAX);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ready.close();
      aperture.revoke();
      arena.close();
    }
  }
}
