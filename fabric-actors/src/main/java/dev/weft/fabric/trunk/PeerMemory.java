package dev.weft.fabric.trunk;

import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.packet.PayloadSource;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * The memory of another JVM on this host, read by the Linux call process_vm_readv(2): one copy, from where the sender has the bytes to
 * where they belong. The kernel lets a process read those of the same user, unless it is told not to (Yama's ptrace_scope, containers);
 * {@link #of} finds out by reading what the other has published of itself.
 */
final class PeerMemory implements PayloadSource {
  private static final int BOUNCE_BYTES = 64 * 1024;
  private static final StructLayout ERRNO = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO_VALUE = ERRNO.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle READ = find();
  private static final ThreadLocal<Call> CALLS = ThreadLocal.withInitial(Call::new);

  private final long processId;

  /** What a JVM shows of itself, so that others find out whether they can read its memory; it lives as long as this object. */
  static final class Probe {
    final long value;
    private final MemorySegment word = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);

    /** @param value no other JVM's */
    Probe(long value) {
      this.value = value;
      word.set(ValueLayout.JAVA_LONG, 0, value);
    }

    long address() {
      return word.address();
    }
  }

  /** Arguments of the call, for one thread. */
  private static final class Call {
    /** Two of struct iovec: ours, theirs. */
    final MemorySegment vectors = Arena.ofAuto().allocate(4L * Long.BYTES, Long.BYTES);
    final MemorySegment theirs = vectors.asSlice(2L * Long.BYTES);
    final MemorySegment state = Arena.ofAuto().allocate(ERRNO);
    /** For targets on the heap, which the kernel does not write to. */
    MemorySegment bounce;

    /** {@code kept} stays open for the length of the call: it is what {@code to} lies in. */
    long read(long processId, long from, MemorySegment kept, long to, long length) {
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 0, to);
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 1, length);
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 2, from);
      vectors.setAtIndex(ValueLayout.JAVA_LONG, 3, length);
      try {
        return (long) READ.invokeExact(state, processId, vectors, 1L, theirs, 1L, 0L, kept);
      } catch (Throwable e) {
        throw new IllegalStateException("process_vm_readv(2) could not be called", e);
      }
    }

    int errno() {
      return (int) ERRNO_VALUE.get(state, 0L);
    }

    MemorySegment bounce() {
      if (bounce == null) {
        bounce = Arena.ofAuto().allocate(BOUNCE_BYTES);
      }
      return bounce;
    }
  }

  private PeerMemory(long processId) {
    this.processId = processId;
  }

  @SuppressWarnings("restricted") // a call into the C library, which is what native access is for
  private static MethodHandle find() {
    if (!System.getProperty("os.name").toLowerCase(Locale.ROOT).equals("linux") || !PeerMemory.class.getModule().isNativeAccessEnabled()) {
      return null;
    }
    // The last argument is one that the function does not look at: arguments are kept open while a function runs, and without it the
    // owner of the target could free it under the kernel's hands.
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> function = linker.defaultLookup().find("process_vm_readv");
    return function.map(address -> linker.downcallHandle(address,
        FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG,
            ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
        Linker.Option.captureCallState("errno"))).orElse(null);
  }

  /** Whether this machine has the call and this JVM may make it. */
  static boolean isSupported() {
    return READ != null;
  }

  /** The memory of the process that published the probe; null if it cannot be read. */
  static PeerMemory of(TrunkAddress address) {
    return READ == null || address.processId() == 0 ? null : of(address.processId(), address.probeAddress(), address.probeValue());
  }

  static PeerMemory of(long processId, long probeAddress, long probeValue) {
    Call call = CALLS.get();
    MemorySegment word = call.bounce();
    word.set(ValueLayout.JAVA_LONG, 0, ~probeValue);
    long read = call.read(processId, probeAddress, word, word.address(), Long.BYTES);
    return read == Long.BYTES && word.get(ValueLayout.JAVA_LONG, 0) == probeValue ? new PeerMemory(processId) : null;
  }

  @Override
  public int copyTo(long address, MemorySegment target, long targetOffset, int length) {
    Objects.checkFromIndexSize(targetOffset, length, target.byteSize());
    Call call = CALLS.get();
    if (target.isNative()) {
      read(call, address, target, target.address() + targetOffset, length);
      return length;
    }
    for (int done = 0; done < length; done += BOUNCE_BYTES) {
      int count = Math.min(BOUNCE_BYTES, length - done);
      read(call, address + done, call.bounce(), call.bounce().address(), count);
      MemorySegment.copy(call.bounce(), 0, target, targetOffset + done, count);
    }
    return 2 * length;
  }

  private void read(Call call, long from, MemorySegment kept, long to, int length) {
    int done = 0;
    while (done < length) {
      long count = call.read(processId, from + done, kept, to + done, length - done);
      if (count <= 0) {
        throw new PayloadLostException(length + " bytes at 0x" + Long.toHexString(from) + " of process " + processId
            + " cannot be read: errno " + call.errno());
      }
      done += (int) count;
    }
  }

  @Override
  public String toString() {
    return "PeerMemory[process " + processId + "]";
  }
}
