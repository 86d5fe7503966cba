package dev.weft.pager.client;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.time.Marks;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import dev.weft.pager.PagerMark;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.memory.RegionAllocator;
import dev.weft.pager.memory.SparseMap;
import dev.weft.pager.wire.PagerOp;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * The block device over memory servers. Any thread may submit requests. They go through one bounded ring to the client actor,
 * which gets a message only if it is not already running. Completions run on the thread of that actor; completions of requests that are not
 * accepted run on the caller's thread. Requests to an area whose server is lost fail with EIO; the other areas continue ({@link AreaState}).
 */
public final class PagerDevice implements BlockDevice, AutoCloseable {
  /** Lets the calling thread run the fabric's hardware actors; see {@link BlockDevice#help}. */
  public interface Helper {
    boolean help(BooleanSupplier until, long maxNs);

    /** See {@link BlockDevice#promiseHelp}. */
    Promise promiseHelp();
  }

  private final PagerSettings settings;
  private final AreaMap areas;
  private final MemoryRegion poolMr;
  private final RegistrationPool pool;
  private final Helper helper;
  private final ManyToOneConcurrentArrayQueue<DeviceRequest> ring;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicBoolean actorAwake = new AtomicBoolean();
  private volatile boolean closed;
  private volatile ActorRef<PagerClientActor.Command> actor;
  private volatile List<AreaStatus> areaStatus = List.of();
  private final Losses losses = new Losses();
  private final Flusher flusher = flusher();

  PagerDevice(PagerSettings settings, AreaMap areas, MemoryRegion poolMr, Helper helper) {
    this.settings = settings;
    this.areas = areas;
    this.poolMr = poolMr;
    this.pool = new RegistrationPool(settings.poolBytes(), settings.sharesMax(), settings.shareBytes(), settings.waitersMax());
    this.helper = helper;
    this.ring = new ManyToOneConcurrentArrayQueue<>(settings.requestsMax());
  }

  void started(ActorRef<PagerClientActor.Command> ref) {
    actor = ref;
  }

  /** The client actor, for inspection. */
  public ActorRef<PagerClientActor.Command> actor() {
    return actor;
  }

  RegistrationPool pool() {
    return pool;
  }

  MemoryRegion poolMr() {
    return poolMr;
  }

  AreaMap areas() {
    return areas;
  }

  int inFlight() {
    return inFlight.get();
  }

  @Override
  public long sizeBytes() {
    return areas.sizeBytes();
  }

  @Override
  public int preferredBlockBytes() {
    return SparseMap.BLOCK_BYTES;
  }

  @Override
  public int maxRequestBytes() {
    return settings.maxRequestBytes();
  }

  @Override
  public Buffer tryAcquire(int lengthBytes, Runnable whenAvailable) {
    checkLength(lengthBytes);
    return buffer(pool.allocate(lengthBytes, whenAvailable), lengthBytes);
  }

  private void checkLength(int lengthBytes) {
    if (lengthBytes < 1 || lengthBytes > maxRequestBytes()) {
      throw new IllegalArgumentException("buffer of " + lengthBytes + " bytes, must be 1 to " + maxRequestBytes());
    }
  }

  private Buffer buffer(long offset, int lengthBytes) {
    return offset == RegionAllocator.NONE ? null : new PoolBuffer(this, poolMr.segment(), offset, lengthBytes);
  }

  /** Returns a share; with {@code weft.pager.client.shares = 0} it reserves no memory. */
  @Override
  public Share share() {
    if (settings.sharesMax() == 0) {
      return this::tryAcquire;
    }
    RegistrationPool.Share own = pool.share();
    return own == null ? null : new Share() {
      @Override
      public Buffer tryAcquire(int lengthBytes, Runnable whenAvailable) {
        checkLength(lengthBytes);
        return buffer(own.allocate(lengthBytes, whenAvailable), lengthBytes);
      }

      @Override
      public void close() {
        own.close();
      }
    };
  }

  @Override
  public void read(long offset, Buffer into, Completion completion) {
    submitData(PagerOp.READ, offset, into, completion);
  }

  @Override
  public void write(long offset, Buffer from, boolean fua, Completion completion) {
    submitData(PagerOp.WRITE, offset, from, completion);
  }

  private void submitData(PagerOp op, long offset, Buffer data, Completion completion) {
    if (!(data instanceof PoolBuffer buffer) || buffer.device != this) {
      throw new IllegalArgumentException("the buffer was not borrowed from this device");
    }
    submit(op, offset, buffer.lengthBytes, poolMr.addr() + buffer.offset, null, completion);
  }

  /** Records the loss of an area whose server had acknowledged data. Client actor only. */
  void lost() {
    losses.add();
  }

  /** Flushes as a separate consumer; see {@link #flusher}. */
  @Override
  public void flush(Completion completion) {
    flusher.flush(completion);
  }

  /**
   * Returns the flush of one consumer. A write is in its server's memory when it completes, and does not become safer later. So a flush asks each server
   * that has acknowledged data for a reply. It completes with EIO if a server does not reply, or if one was lost since this consumer's last flush. Each
   * loss is reported once to each consumer. Later flushes report only on the remaining areas, while requests to the lost area keep failing.
   */
  @Override
  public Flusher flusher() {
    Losses.Reader reader = losses.reader();
    return completion -> {
      Objects.requireNonNull(completion, "completion");
      accept(new DeviceRequest(PagerOp.FLUSH, 0, 0, 0, null, errno -> {
        boolean isAnswer = errno == Errno.OK || errno == Errno.EIO;
        completion.done(isAnswer && reader.isNews() ? Errno.EIO : errno);
      }));
    };
  }

  @Override
  public boolean isSafeWhenComplete() {
    return true;
  }

  @Override
  public void trim(long offset, long length, Completion completion) {
    submit(PagerOp.TRIM, offset, length, 0, null, completion);
  }

  @Override
  public void writeZeroes(long offset, long length, boolean mayTrim, Completion completion) {
    submit(mayTrim ? PagerOp.TRIM : PagerOp.ZERO, offset, length, 0, null, completion);
  }

  /** Always true, because the server zeroes memory without a transfer. */
  @Override
  public boolean zeroesFast(long offset, long length, boolean mayTrim) {
    return true;
  }

  /** Completes at once, because memory needs no cache. */
  @Override
  public void cache(long offset, long length, Completion completion) {
    completion.done(closed ? Errno.ESHUTDOWN : Errno.OK);
  }

  @Override
  public void blockStatus(long offset, long length, ExtentSink sink, Completion completion) {
    submit(PagerOp.STATUS, offset, length, 0, Objects.requireNonNull(sink, "sink"), completion);
  }

  @Override
  public boolean help(BooleanSupplier until, long maxNs) {
    return helper != null && helper.help(until, maxNs);
  }

  @Override
  public Promise promiseHelp() {
    return helper == null ? Promise.NONE : helper.promiseHelp();
  }

  private void submit(PagerOp op, long offset, long length, long address, ExtentSink sink, Completion completion) {
    Objects.requireNonNull(completion, "completion");
    Objects.checkFromIndexSize(offset, length, sizeBytes());
    if (length == 0) {
      completion.done(Errno.OK);
      return;
    }
    accept(new DeviceRequest(op, offset, length, address, sink, completion));
  }

  private void accept(DeviceRequest request) {
    if (inFlight.incrementAndGet() > settings.requestsMax() || !ring.offer(request)) {
      Marks.hit(PagerMark.DEVICE_REFUSES);
      inFlight.decrementAndGet();
      request.completion.done(Errno.ENOMEM);
      return;
    }
    if (closed) {
      failRing();
    } else if (!actorAwake.get() && actorAwake.compareAndSet(false, true)) {
      actor.tell(PagerClientActor.Signal.DOORBELL);
    }
  }

  /** Returns the next request, or null. Client actor only. */
  DeviceRequest poll() {
    return ring.poll();
  }

  /** Whether the client actor, which has emptied the ring, may stop; false if new requests have arrived. */
  boolean actorMaySleep() {
    actorAwake.set(false);
    return ring.isEmpty() || !actorAwake.compareAndSet(false, true);
  }

  void finish(DeviceRequest request, int errno) {
    inFlight.decrementAndGet();
    request.completion.done(errno);
  }

  /** Makes requests fail with ESHUTDOWN from now on. The client actor calls it when it has stopped polling. */
  void markClosed() {
    closed = true;
    failRing();
  }

  private void failRing() {
    while (true) {
      DeviceRequest request;
      synchronized (ring) {
        request = ring.poll();
      }
      if (request != null) {
        finish(request, Errno.ESHUTDOWN);
      } else if (ring.isEmpty()) {
        return;
      } else {
        Thread.onSpinWait(); // A submitting thread has taken a place in the ring and may have seen the device open, so wait for its request.
      }
    }
  }

  /** The current status of the areas, in their order. */
  public List<AreaStatus> areaStatus() {
    return areaStatus;
  }

  /** Sets the status of the areas. Client actor only. */
  void publish(List<AreaStatus> status) {
    areaStatus = status;
  }

  /**
   * Replaces a lost area by the memory of another server, which reads as zeros. The old data is abandoned, even if its server comes
   * back. Returns at once.
   *
   * @param area number of the area, from 0
   * @param server a server that lends exactly the size of the area
   */
  public void replace(int area, ServerSpec server, ReplaceListener listener) {
    Objects.checkIndex(area, areas.servers());
    actor.tell(new PagerClientActor.Replace(area, server, listener));
  }

  /**
   * Breaks the connection to the server of an area, as if its queue pair had failed; the client then reconnects. For simulations and tests.
   *
   * @param area number of the area, from 0
   */
  public void dropConnection(int area) {
    Objects.checkIndex(area, areas.servers());
    actor.tell(new PagerClientActor.Drop(area));
  }

  /** Called once with the result of {@link #replace}, on the thread of the client's role; must not block or close the fabric. */
  public interface ReplaceListener {
    /** The area was replaced; these bytes of the device are zeros now. */
    void onReplaced(long start, long bytes);

    /** The area was not replaced; nothing has changed. */
    void onFailed(String reason);
  }

  /** Sends the state of the device to {@code replyTo}. */
  public void inspect(ActorRef<PagerSnapshot> replyTo) {
    actor.tell(new PagerClientActor.Inspect(replyTo));
  }

  /** Fails outstanding requests with ESHUTDOWN and releases the areas at the servers. Returns at once; idempotent. */
  @Override
  public void close() {
    actor.tell(PagerClientActor.Signal.CLOSE);
  }
}
