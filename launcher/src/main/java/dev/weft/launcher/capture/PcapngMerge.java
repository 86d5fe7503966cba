package dev.weft.launcher.capture;

import dev.weft.fabric.capture.Pcapng;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Merges captures of several JVMs into one pcapng file in the order of time, with one interface for each JVM. A packet waits until all other
 * JVMs have sent a later packet, or statistics that there was none. The waiting bytes are bounded; beyond the bound, the oldest packet is
 * written without waiting. One thread for each input, one for the rest; {@link #end} never waits for an output that is stuck.
 */
final class PcapngMerge {
  /** Enough for 0.1 s at more than a hundred MB/s; after that time, a JVM without packets sends statistics. */
  private static final int WAITING_MAX_BYTES = 16 << 20;

  private final OutputStream out;
  private final long packetsMax;
  private final long bytesMax;
  private final long quietMaxNs;
  private final List<Input> inputs = new ArrayList<>();
  private long bytes;
  private long packets;
  private long waitingBytes;
  private long writtenNs;
  private IOException failure;
  private final AtomicReference<String> end = new AtomicReference<>();
  private final CountDownLatch ended = new CountDownLatch(1);

  /** A waiting packet. */
  @SuppressWarnings("ArrayRecordComponent") // The record is never compared.
  private record Waiting(long timeNs, byte[] block) {}

  /** The state of the capture of one JVM. */
  private static final class Input {
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long reachedNs = Long.MIN_VALUE;
    private long packets;
    private long dropped;
    private boolean ended;
  }

  /**
   * Makes a merge; writes nothing yet.
   *
   * @param packetsMax number of packets after which it ends
   * @param bytesMax size that the output never exceeds
   * @param quietMaxNs time without packets after which it writes statistics, to detect an output that is not read any more
   */
  PcapngMerge(OutputStream out, long packetsMax, long bytesMax, long quietMaxNs) {
    this.out = out;
    this.packetsMax = packetsMax;
    this.bytesMax = bytesMax;
    this.quietMaxNs = quietMaxNs;
  }

  /** Writes the beginning of the file. */
  synchronized void begin(byte[] sectionHeader, List<byte[]> interfaces) throws IOException {
    write(sectionHeader);
    for (byte[] description : interfaces) {
      write(description);
      inputs.add(new Input());
    }
    out.flush();
  }

  /**
   * Adds a block of a JVM.
   *
   * @param number index of the JVM
   * @param more whether another block follows immediately, so that the output need not be flushed yet
   * @return whether the capture goes on
   */
  synchronized boolean add(int number, byte[] block, boolean more) {
    Input input = inputs.get(number);
    int type = BlockReader.typeOf(block);
    if (hasEnded() || type != Pcapng.ENHANCED_PACKET && type != Pcapng.INTERFACE_STATISTICS) {
      return !hasEnded();
    }
    ByteBuffer view = Pcapng.wrap(block);
    input.reachedNs = Pcapng.timeNs(view);
    if (type == Pcapng.ENHANCED_PACKET) {
      view.putInt(Pcapng.INTERFACE_OFFSET, number);
      input.waiting.add(new Waiting(input.reachedNs, block));
      waitingBytes += block.length;
    } else {
      input.dropped = view.getLong(Pcapng.DROPPED_OFFSET);
    }
    release(false);
    if (failure == null && System.nanoTime() - writtenNs >= quietMaxNs) {
      writeStatistics(number);
    }
    if (!more) {
      flush();
    }
    return !hasEnded();
  }

  /** Records that a JVM sends no more blocks. */
  synchronized void ended(int number) {
    inputs.get(number).ended = true;
    release(false);
    flush();
    if (inputs.stream().allMatch(input -> input.ended)) {
      end("all of them have ended");
    }
  }

  /** Writes the packets that have waited long enough, or all. */
  private void release(boolean all) {
    while (failure == null) {
      Input next = null;
      long quietNs = Long.MAX_VALUE;
      for (Input input : inputs) {
        if (input.waiting.isEmpty()) {
          quietNs = input.ended ? quietNs : Math.min(quietNs, input.reachedNs);
        } else if (next == null || input.waiting.peek().timeNs() < next.waiting.peek().timeNs()) {
          next = input;
        }
      }
      if (next == null || !all && waitingBytes <= WAITING_MAX_BYTES && next.waiting.peek().timeNs() > quietNs) {
        return;
      }
      byte[] block = next.waiting.remove().block();
      waitingBytes -= block.length;
      writePacket(next, block);
    }
  }

  private void writePacket(Input input, byte[] block) {
    if (packets == packetsMax) {
      return;
    }
    if (bytes + block.length + (long) inputs.size() * Pcapng.STATISTICS_LENGTH > bytesMax) {
      end("the file is full (weft.fabric.capture.max-file-size)");
      return;
    }
    tryToWrite(block);
    input.packets++;
    if (++packets == packetsMax) {
      end("");
    }
  }

  private void writeStatistics(int number) {
    byte[] block = new byte[Pcapng.STATISTICS_LENGTH];
    Input input = inputs.get(number);
    Pcapng.putStatistics(Pcapng.wrap(block), number, Math.max(input.reachedNs, 0), input.packets + input.dropped, input.dropped);
    tryToWrite(block);
  }

  private void tryToWrite(byte[] block) {
    try {
      write(block);
    } catch (IOException e) {
      failed(e);
    }
  }

  private void write(byte[] block) throws IOException {
    out.write(block);
    bytes += block.length;
    writtenNs = System.nanoTime();
  }

  private void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      failed(e);
    }
  }

  private void failed(IOException e) {
    failure = failure == null ? e : failure;
    end("");
  }

  /** Ends the capture, if it has not ended for another reason. Any thread. */
  void end(String reason) {
    if (end.compareAndSet(null, reason)) {
      ended.countDown();
    }
  }

  private boolean hasEnded() {
    return end.get() != null;
  }

  /** Waits until the capture ends, and ends it after {@code maxNs}. Returns the reason; empty if the capture ended as requested. */
  String awaitEnd(long maxNs) throws InterruptedException {
    if (!ended.await(maxNs, TimeUnit.NANOSECONDS)) {
      end("");
    }
    return end.get();
  }

  /** Writes the waiting packets and the statistics. Does not close the output. Call this once, after {@link #awaitEnd}. */
  synchronized void finish() throws IOException {
    release(true);
    for (int i = 0; i < inputs.size() && failure == null; i++) {
      writeStatistics(i);
    }
    if (failure != null) {
      throw failure;
    }
    out.flush();
  }

  synchronized long packets() {
    return packets;
  }

  /** Returns for each JVM how many packets it has dropped, by its last statistics. */
  synchronized List<Long> dropped() {
    return Collections.unmodifiableList(inputs.stream().map(input -> input.dropped).toList());
  }
}
