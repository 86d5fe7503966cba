package dev.weft.pager.client;

import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Random requests, several at a time, none overlapping another that is under way, checked against a byte array. */
final class PagerWorkload {
  private record Range(long offset, long length) {
    boolean overlaps(long otherOffset, long otherLength) {
      return offset < otherOffset + otherLength && otherOffset < offset + length;
    }
  }

  private final PagerDevice device;
  private final Random random;
  private final long seed;
  private final byte[] model;
  private final List<Range> busy = new ArrayList<>();
  private int left;
  private int completed;
  private int errors;
  private int waitingForBuffer;
  private int depth;
  private long errorsFrom;
  private long errorsTo;
  private String problem;

  PagerWorkload(PagerDevice device, Random random, long seed) {
    this.device = device;
    this.random = random;
    this.seed = seed;
    this.model = new byte[(int) device.sizeBytes()];
  }

  void start(int requests, int depthMax) {
    left = requests;
    depth = depthMax;
    refill();
  }

  /** From here on requests that touch the range may fail, and nothing is known of its bytes. */
  void expectErrorsIn(long from, long to) {
    errorsFrom = from;
    errorsTo = to;
  }

  boolean isDone() {
    return problem != null || (left == 0 && busy.isEmpty() && waitingForBuffer == 0);
  }

  int completed() {
    return completed;
  }

  int errors() {
    return errors;
  }

  String problem() {
    return problem;
  }

  @Override
  public String toString() {
    return "seed " + seed + ": " + completed + " completed, " + left + " left, " + busy.size() + " busy, " + waitingForBuffer
        + " waiting for a buffer, " + errors + " errors, " + problem;
  }

  private void refill() {
    while (left > 0 && busy.size() + waitingForBuffer < depth) {
      left--;
      begin();
    }
  }

  private void begin() {
    int kind = random.nextInt(8);
    int max = kind < 6 ? device.maxRequestBytes() : 400_000;
    int length = 1 + random.nextInt(random.nextBoolean() ? 5000 : max);
    if (random.nextInt(3) > 0) {
      length = Math.max(4096, length / 4096 * 4096);
    }
    length = Math.min(length, (int) Math.min(max, device.sizeBytes()));
    long offset = random.nextLong(device.sizeBytes() - length + 1);
    if (random.nextBoolean()) {
      offset = offset / 4096 * 4096;
    }
    for (Range range : busy) {
      if (range.overlaps(offset, length)) {
        completed++; // skipped
        return;
      }
    }
    Range range = new Range(offset, length);
    busy.add(range);
    switch (kind) {
      case 0, 1, 2 -> read(range);
      case 3, 4, 5 -> write(range);
      case 6 -> device.writeZeroes(offset, length, random.nextBoolean(), errno -> zeroed(range, errno));
      default -> device.trim(offset, length, errno -> zeroed(range, errno));
    }
  }

  private BlockDevice.Buffer buffer(Range range, Runnable again) {
    BlockDevice.Buffer buffer = device.tryAcquire((int) range.length(), () -> {
      waitingForBuffer--;
      again.run();
    });
    if (buffer == null) {
      waitingForBuffer++;
    }
    return buffer;
  }

  private void read(Range range) {
    BlockDevice.Buffer buffer = buffer(range, () -> read(range));
    if (buffer == null) {
      return;
    }
    buffer.segment().fill((byte) 0x5a);
    device.read(range.offset(), buffer, errno -> {
      if (errno == Errno.OK && !touchesErrors(range)) {
        compare(range, buffer.segment());
      }
      buffer.release();
      end(range, errno);
    });
  }

  private void compare(Range range, MemorySegment data) {
    byte[] bytes = data.toArray(ValueLayout.JAVA_BYTE);
    int at = (int) range.offset();
    int mismatch = Arrays.mismatch(bytes, 0, bytes.length, model, at, at + bytes.length);
    if (mismatch >= 0 && problem == null) {
      problem = "byte " + (at + mismatch) + " of " + range + " is " + bytes[mismatch] + ", must be " + model[at + mismatch];
    }
  }

  private void write(Range range) {
    BlockDevice.Buffer buffer = buffer(range, () -> write(range));
    if (buffer == null) {
      return;
    }
    byte[] data = new byte[(int) range.length()];
    random.nextBytes(data);
    MemorySegment.copy(data, 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, data.length);
    device.write(range.offset(), buffer, false, errno -> {
      if (errno == Errno.OK) {
        System.arraycopy(data, 0, model, (int) range.offset(), data.length);
      }
      buffer.segment().fill((byte) 0x33);
      buffer.release();
      end(range, errno);
    });
  }

  private void zeroed(Range range, int errno) {
    if (errno == Errno.OK) {
      Arrays.fill(model, (int) range.offset(), (int) (range.offset() + range.length()), (byte) 0);
    }
    end(range, errno);
  }

  private boolean touchesErrors(Range range) {
    return errorsTo > errorsFrom && range.overlaps(errorsFrom, errorsTo - errorsFrom);
  }

  private void end(Range range, int errno) {
    completed++;
    busy.remove(range);
    if (errno != Errno.OK) {
      errors++;
      if ((errno != Errno.EIO || !touchesErrors(range)) && problem == null) {
        problem = "request " + range + " ended with errno " + errno;
      }
      forgetPartsOutside(range);
    }
    refill();
  }

  /** A request across a dead and a living server may have done its part at the living one. */
  private void forgetPartsOutside(Range range) {
    if (range.offset() < errorsFrom) {
      errorsFrom = range.offset();
    }
    if (range.offset() + range.length() > errorsTo) {
      errorsTo = range.offset() + range.length();
    }
  }

  void writeAndWait(SimulatedPager pager, long offset, int length) {
    Range range = new Range(offset, length);
    busy.add(range);
    write(range);
    pager.fabric.system().runUntil(busy::isEmpty, SimulatedPager.SECOND);
  }

  /** Reads the whole device and compares. */
  void readAll(SimulatedPager pager) {
    for (long at = 0; at < device.sizeBytes(); at += device.maxRequestBytes()) {
      Range range = new Range(at, Math.min(device.maxRequestBytes(), device.sizeBytes() - at));
      busy.add(range);
      read(range);
    }
    if (!pager.fabric.system().runUntil(this::isDone, 60 * SimulatedPager.SECOND) && problem == null) {
      problem = "reading everything did not end: " + this;
    }
  }
}
