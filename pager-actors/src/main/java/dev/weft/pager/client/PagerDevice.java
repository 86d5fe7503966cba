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
 * The block device over memory servers. Any thread submits; requests go through one bounded ring to the client actor,
 * which is told only when it is not awake already. Completions run on the thread of that actor; those of requests that cannot be
 * accepted, on the caller's. An area whose server is lost answers EIO; the others go on ({@link AreaState}).
 */
public final class PagerDevice implements BlockDevice, AutoCloseable {
  /** Lends the calling thread to the fabric's hardware; see {@link BlockDevice#help}. */
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

  /** With {@code weft.pager.client.shares = 0} nothing is kept for anybody. */
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

  /** An area is lost whose server had acknowledged data. Client actor only. */
  void lost() {
    losses.add();
  }

  /** As one consumer of its own; see {@link #flusher}. */
  @Override
  public void flush(Completion completion) {
    flusher.flush(completion);
  }

  /**
   * Every write is in its server's memory when it completes, and no safer later. So a flush asks each server that has acknowledged
   * data to answer once more, and completes with EIO if one does not, or if one was lost since this consumer's last flush. Each loss
   * is told once to each consumer; after that, flushes tell of the living areas again, while requests to the dead one go on failing.
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

  /** Zeroing at the server moves no data. */
  @Override
  public boolean zeroesFast(long offset, long length, boolean mayTrim) {
    return true;
  }

  /** Memory needs no cache. */
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

  /** The next request, or null. Client actor only. */
  DeviceRequest poll() {
    return ring.poll();
  }

  /** The client actor has emptied the ring; returns false if it has to look again. */
  boolean actorMaySleep() {
    actorAwake.set(false);
    return ring.isEmpty() || !actorAwake.compareAndSet(false, true);
  }

  void finish(DeviceRequest request, int errno) {
    inFlight.decrementAndGet();
    request.completion.done(errno);
  }

  /** From here on requests are answered ESHUTDOWN. Called by the client actor when it has stopped polling. */
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
        Thread.onSpinWait(); // A submitter has taken its place in the ring, and may have seen the device open: wait for its request.
      }
    }
  }

  /** How the areas of the device stand now, in their order. */
  public List<AreaStatus> areaStatus() {
    return areaStatus;
  }

  /** Client actor only. */
  void publish(List<AreaStatus> status) {
    areaStatus = status;
  }

  /**
   * Puts the memory of another server in the place of a lost area: it reads as zeros. What was there is given up, also if its server comes
   * back. Returns at once.
   *
   * @param area number of the area, from 0
   * @param server which lends as many bytes as the area has
   */
  public void replace(int area, ServerSpec server, ReplaceListener listener) {
    Objects.checkIndex(area, areas.servers());
    actor.tell(new PagerClientActor.Replace(area, server, listener));
  }

  /**
   * Breaks the connection to the server of an area, as if its queue pair had failed, and has it made anew; for those who want to see that.
   *
   * @param area number of the area, from 0
   */
  public void dropConnection(int area) {
    Objects.checkIndex(area, areas.servers());
    actor.tell(new PagerClientActor.Drop(area));
  }

  /** Told once what became of {@link #replace}, on the thread of the client's role; must not block, nor close the fabric. */
  public interface ReplaceListener {
    /** These bytes of the device are zeros now. */
    void onReplaced(long start, long bytes);

    /** Nothing has changed. */
    void onFailed(String reason);
  }

  /** The state of the device goes to {@code replyTo}. */
  public void inspect(ActorRef<PagerSnapshot> replyTo) {
    actor.tell(new PagerClientActor.Inspect(replyTo));
  }

  /** Fails what is outstanding with ESHUTDOWN and lets the servers go. Returns at once; idempotent. */
  @Override
  public void close() {
    actor.tell(PagerClientActor.Signal.CLOSE);
  }
}
