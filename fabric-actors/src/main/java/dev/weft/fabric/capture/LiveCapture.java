package dev.weft.fabric.capture;

import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.time.Clock;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.ControlledMessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * One capture of a running fabric. Packets become blocks of a pcapng file in a bounded queue between the hardware thread and the reader.
 * The hardware thread never waits: packets that do not fit are dropped and counted. A {@link CaptureHub} begins and ends captures.
 *
 * <p>A packet from a node of this JVM is captured where it leaves the node, a packet from another JVM where it arrives. So the capture has
 * each packet once.
 */
public final class LiveCapture {
  /** Bytes for the interface name and the other blocks at the beginning. */
  private static final int PREAMBLE_ROOM = 1024;
  private static final int MESSAGE = 1;
  private static final int LIDS = 1 << 16;

  private final OneToOneRingBuffer queue;
  private final PacketBlock block = new PacketBlock();
  private final Clock clock;
  private final long epochNs;
  private final boolean sentOnly;
  /** For each LID, whether a node of this JVM has sent with it since the capture began. */
  private final boolean[] sendsHere = new boolean[LIDS];
  /** Written by the hardware thread only. */
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  /** All packets before this time have been taken. */
  private long reachedNs;
  private volatile boolean finished;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /**
   * Makes a capture for {@link CaptureHub#begin}.
   *
   * @param memory {@link #memoryBytes} bytes, all zero
   */
  LiveCapture(ByteBuffer memory, Clock clock, long epochNs, boolean sentOnly) {
    queue = new OneToOneRingBuffer(new UnsafeBuffer(memory));
    this.clock = clock;
    this.epochNs = epochNs;
    this.sentOnly = sentOnly;
    reachedNs = epochNs + clock.nowNs();
  }

  /** Returns the memory in bytes that a queue of {@code queueBytes} needs. */
  static int memoryBytes(int queueBytes) {
    return queueBytes + RingBufferDescriptor.TRAILER_LENGTH;
  }

  /** Captures a packet that leaves a node of this JVM. Hardware thread. */
  void onSent(Packet packet) {
    sendsHere[packet.srcLid() & LIDS - 1] = true;
    put(packet, PacketBlock.OUTBOUND);
  }

  /** Captures a packet that arrives at a node of this JVM, unless a node of this JVM sent it. Hardware thread. */
  void onReceived(Packet packet) {
    if (!sentOnly && !sendsHere[packet.srcLid() & LIDS - 1]) {
      put(packet, PacketBlock.INBOUND);
    }
  }

  private void put(Packet packet, int direction) {
    if (!packet.payload().isReadable()) {
      return; // No receiver will ever see the packet.
    }
    int room = block.room(packet);
    int index = room > queue.maxMsgLength() ? 0 : queue.tryClaim(MESSAGE, room);
    if (index <= 0) {
      count(dropped);
      return;
    }
    try {
      block.put(queue.buffer(), index, epochNs + clock.nowNs(), packet, direction);
    } catch (PayloadLostException gone) {
      queue.abort(index);
      return;
    } catch (IllegalStateException | IllegalArgumentException cannotBeShown) {
      queue.abort(index); // A capture must not change anything; the element that handles the packet will find the error.
      count(dropped);
      return;
    }
    queue.commit(index);
    count(accepted);
  }

  private static void count(AtomicLong counter) {
    counter.lazySet(counter.getPlain() + 1);
  }

  /** Returns the beginning of a section: its header and one interface. */
  public static byte[] preamble(String interfaceName) {
    byte[] bytes = new byte[PREAMBLE_ROOM];
    ByteBuffer buffer = Pcapng.wrap(bytes);
    Pcapng.putSectionHeader(buffer);
    Pcapng.putInterface(buffer, interfaceName);
    return Arrays.copyOf(bytes, buffer.position());
  }

  /**
   * Takes whole blocks from the queue. One thread at a time, which need not be the hardware thread.
   *
   * @param enough number of bytes after which no further block is taken
   * @return the blocks; empty if there are none, or the capture has ended
   */
  public byte[] take(int enough) {
    if (ended.isDone()) {
      return new byte[0];
    }
    long beforeNs = epochNs + clock.nowNs();
    Taker taker = new Taker(enough);
    long position;
    do { // Repeats if the queue has wrapped around.
      position = queue.consumerPosition();
      queue.controlledRead(taker);
    } while (!taker.hasEnough() && queue.consumerPosition() != position);
    byte[] taken = taker.taken();
    reachedNs = taker.hasEnough() ? taker.lastNs() : beforeNs;
    return taken;
  }

  /**
   * Returns the counts as a block. Its time says how far {@link #take} has come: no earlier packet follows, except one that was just being
   * put into the queue. Only the thread that calls {@link #take} calls this.
   */
  public byte[] statistics() {
    byte[] bytes = new byte[Pcapng.STATISTICS_LENGTH];
    long lost = dropped.get();
    Pcapng.putStatistics(Pcapng.wrap(bytes), 0, reachedNs, accepted.get() + lost, lost);
    return bytes;
  }

  /** Returns how many packets did not fit, or could not be encoded. Any thread; may be slightly out of date. */
  public long droppedCount() {
    return dropped.get();
  }

  /** Ends the capture: no blocks are taken any more, so another capture may use the memory. */
  void end() {
    ended.complete(null);
  }

  CompletableFuture<Void> ended() {
    return ended;
  }

  /** Whether {@link CaptureHub#finish} has asked the reader to end the capture. */
  public boolean isFinished() {
    return finished;
  }

  void finish() {
    finished = true;
  }

  /** Collects blocks. A message of the queue may be longer than the block in it. */
  private static final class Taker implements ControlledMessageHandler {
    private final int enough;
    private byte[] bytes = new byte[0];
    private int length;
    private int lastAt;

    Taker(int enough) {
      this.enough = enough;
    }

    @Override
    public Action onMessage(int type, MutableDirectBuffer buffer, int index, int messageLength) {
      int blockLength = buffer.getInt(index + Integer.BYTES, ByteOrder.LITTLE_ENDIAN);
      if (length + blockLength > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(length + blockLength, enough + Pcapng.BLOCK_LENGTH_MAX));
      }
      buffer.getBytes(index, bytes, length, blockLength);
      lastAt = length;
      length += blockLength;
      return hasEnough() ? Action.BREAK : Action.CONTINUE;
    }

    boolean hasEnough() {
      return length >= enough;
    }

    /** Returns the time of the last packet. */
    long lastNs() {
      return Pcapng.timeNs(Pcapng.wrap(bytes), lastAt);
    }

    byte[] taken() {
      return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }
  }
}
