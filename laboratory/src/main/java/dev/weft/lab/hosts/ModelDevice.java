package dev.weft.lab.hosts;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Objects;

/** A block device of a {@link DeviceModel} in virtual time; keeps its bytes. Used by whoever holds the baton. */
public final class ModelDevice implements BlockDevice {
  private static final int BLOCK_BYTES = 4096;
  private static final int REQUEST_BYTES_MAX = 128 << 10;
  /** Buffers lent at a time: what the kernel's request queue holds. */
  private static final int BUFFERS_MAX = 128;

  private final MemorySegment bytes;
  private final ActorRef<ModelDeviceActor.Command> actor;
  private final ArrayDeque<Runnable> refused = new ArrayDeque<>();
  private final MemorySegment buffers = Arena.ofAuto().allocate((long) BUFFERS_MAX * REQUEST_BYTES_MAX, BLOCK_BYTES);
  private final ArrayDeque<Integer> free = new ArrayDeque<>();

  public ModelDevice(VirtualSystem system, String name, DeviceModel model, long sizeBytes) {
    bytes = Arena.ofAuto().allocate(sizeBytes, BLOCK_BYTES);
    for (int i = 0; i < BUFFERS_MAX; i++) {
      free.add(i);
    }
    actor = system.spawn(ModelDeviceActor.create(system.context(), model), name);
  }

  @Override
  public long sizeBytes() {
    return bytes.byteSize();
  }

  @Override
  public int preferredBlockBytes() {
    return BLOCK_BYTES;
  }

  @Override
  public int maxRequestBytes() {
    return REQUEST_BYTES_MAX;
  }

  @Override
  public Buffer tryAcquire(int lengthBytes, Runnable whenAvailable) {
    Objects.checkIndex(lengthBytes - 1, REQUEST_BYTES_MAX);
    if (free.isEmpty()) {
      if (whenAvailable != null) {
        refused.add(whenAvailable);
      }
      return null;
    }
    int index = free.poll();
    return new Lent(index, buffers.asSlice((long) index * REQUEST_BYTES_MAX, lengthBytes));
  }

  private final class Lent implements Buffer {
    private final int index;
    private final MemorySegment segment;

    Lent(int index, MemorySegment segment) {
      this.index = index;
      this.segment = segment;
    }

    @Override
    public MemorySegment segment() {
      return segment;
    }

    @Override
    public void release() {
      free.add(index);
      Runnable next = refused.poll();
      if (next != null) {
        next.run();
      }
    }
  }

  @Override
  public void read(long offset, Buffer into, Completion completion) {
    MemorySegment to = into.segment();
    submit(false, offset, to.byteSize(), () -> {
      MemorySegment.copy(bytes, offset, to, 0, to.byteSize());
      completion.done(Errno.OK);
    });
  }

  @Override
  public void write(long offset, Buffer from, boolean fua, Completion completion) {
    MemorySegment source = from.segment();
    submit(true, offset, source.byteSize(), () -> {
      MemorySegment.copy(source, 0, bytes, offset, source.byteSize());
      completion.done(Errno.OK);
    });
  }

  private void submit(boolean isWrite, long offset, long length, Runnable done) {
    Objects.checkFromIndexSize(offset, length, sizeBytes());
    actor.tell(new ModelDeviceActor.Submit(new DeviceModel.Io(isWrite, offset, (int) length), done));
  }

  @Override
  public void flush(Completion completion) {
    completion.done(Errno.OK);
  }

  @Override
  public void trim(long offset, long length, Completion completion) {
    completion.done(Errno.OK);
  }

  @Override
  public void writeZeroes(long offset, long length, boolean mayTrim, Completion completion) {
    completion.done(Errno.ENOTSUP);
  }

  @Override
  public void cache(long offset, long length, Completion completion) {
    completion.done(Errno.OK);
  }

  @Override
  public void blockStatus(long offset, long length, ExtentSink sink, Completion completion) {
    completion.done(Errno.ENOTSUP);
  }
}
