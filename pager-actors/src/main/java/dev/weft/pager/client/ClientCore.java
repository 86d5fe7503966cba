package dev.weft.pager.client;

import dev.weft.fabric.time.Clock;
import dev.weft.fabric.time.Marks;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.pager.Errno;
import dev.weft.pager.PagerMark;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.client.DeviceRequest.Part;
import dev.weft.pager.wire.PagerOp;
import dev.weft.pager.wire.PagerReply;
import dev.weft.pager.wire.PagerRequest;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.ObjIntConsumer;

/** The decision logic of a pager client: it splits requests into parts, sends them as credits allow, and combines the replies. */
final class ClientCore implements MessageHandler {
  private final PagerSettings settings;
  private final PagerDevice device;
  private final List<ServerLink> links;
  private final Clock clock;
  private final BiConsumer<ServerLink, String> failed;
  private final BiConsumer<ServerLink, String> broken;
  private final ObjIntConsumer<ServerLink> probed;
  private final PagerRequest wire = new PagerRequest();
  private final PagerReply reply;
  final long[] requests = new long[PagerOp.count()];
  long bytesRead;
  long bytesWritten;
  long errors;

  /**
   * Creates the logic of a client.
   *
   * @param failed called with each server that has violated the protocol, and with the violation
   * @param broken called with each server whose queue pair has failed, and with the reason
   * @param probed called with the result of {@link #probe}, an error number
   */
  ClientCore(PagerSettings settings, PagerDevice device, List<ServerLink> links, Clock clock, BiConsumer<ServerLink, String> failed,
      BiConsumer<ServerLink, String> broken, ObjIntConsumer<ServerLink> probed) {
    this.settings = settings;
    this.device = device;
    this.links = links;
    this.clock = clock;
    this.failed = failed;
    this.broken = broken;
    this.probed = probed;
    this.reply = new PagerReply(settings.messageBytes());
  }

  boolean hasOutstanding() {
    for (ServerLink link : links) {
      if (link.outstandingCount() > 0 || !link.waiting.isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** Splits a request at the borders of areas and sends the parts as credits allow. */
  void begin(DeviceRequest request) {
    requests[request.op.code()]++;
    if (request.op == PagerOp.FLUSH) {
      flush(request);
    } else {
      next(request, request.offset);
    }
  }

  /** Asks each server that holds data for a reply, so that data at a server that has died unnoticed does not count as safe. */
  private void flush(DeviceRequest request) {
    request.partsLeft = 1;
    for (ServerLink link : links) {
      if (link.holdsData && !link.isDead) {
        request.partsLeft++;
        queue(new Part(request, link.index, device.areas().start(link.index), 1));
      }
    }
    partDone(request, Errno.OK, 0);
  }

  /**
   * Queues the parts of a request from {@code from} on. Requests with an unbounded number of parts (status, long
   * zeroing) proceed one part at a time; the parts of other requests are queued at once.
   */
  private void next(DeviceRequest request, long from) {
    long end = request.offset + request.length;
    long at = from;
    request.partsLeft = 1; // One extra while the parts are queued, because some may fail at once.
    do {
      int server = device.areas().serverAt(at);
      long length = Math.min(end, device.areas().end(server)) - at;
      if (request.op == PagerOp.ZERO) {
        length = Math.min(length, settings.maxRequestBytes());
      }
      request.partsLeft++;
      queue(new Part(request, server, at, length));
      at += length;
    } while (at < end && !isStepwise(request));
    partDone(request, Errno.OK, from);
  }

  private static boolean isStepwise(DeviceRequest request) {
    return request.op == PagerOp.STATUS || request.op == PagerOp.ZERO;
  }

  private void queue(Part part) {
    ServerLink link = links.get(part.server());
    if (link.isDead) {
      Marks.hit(PagerMark.CLIENT_AREA_IS_DEAD);
      ended(part, Errno.EIO);
    } else {
      link.waiting.add(part);
      pump(link);
    }
  }

  /** Sends the waiting parts as credits allow. */
  void pump(ServerLink link) {
    while (link.isUp() && link.creditsFree() > 0 && !link.waiting.isEmpty()) {
      if (!sendFirst(link)) {
        return;
      }
    }
    if (link.isUp() && !link.waiting.isEmpty()) {
      Marks.hit(PagerMark.CLIENT_WAITS_FOR_CREDIT);
    }
  }

  /** Sends the first waiting part; returns false if no send buffer is free. */
  private boolean sendFirst(ServerLink link) {
    int slot = link.messages().reserve();
    if (slot == MessageChannel.NO_BUFFER) {
      return false;
    }
    Part part = link.waiting.peek();
    wire.id = link.dispatch(clock.nowNs());
    wire.op = part.request().op;
    wire.rkey = device.poolMr().rkey();
    wire.areaOffset = part.offset() - device.areas().start(part.server());
    wire.length = part.length();
    wire.clientAddress = part.address();
    wire.isInline = wire.op == PagerOp.WRITE && part.length() <= link.inlineBytes;
    int bytes = wire.encode(link.messages().buffers(), link.messages().offset(slot));
    if (wire.isInline) {
      MemoryRegion pool = device.poolMr();
      link.messages().sendWith(slot, bytes, pool, part.address() - pool.addr(), (int) part.length(), false);
    } else {
      link.messages().send(slot, bytes, false);
    }
    return true;
  }

  /** Asks a server for a reply on a new connection before anything else is sent on it, because the new connection may be dead too. */
  void probe(ServerLink link) {
    link.probe = new DeviceRequest(PagerOp.FLUSH, 0, 0, 0, null, errno -> { });
    link.waiting.addFirst(new Part(link.probe, link.index, device.areas().start(link.index), 1));
    sendFirst(link); // A new channel has free send buffers.
  }

  @Override
  public void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {
    ServerLink link = (ServerLink) channel.attachment();
    String wrong = reply.decode(buffer, offset, length);
    Part part = wrong == null ? link.take(reply.id) : null;
    if (part == null) {
      failed.accept(link, wrong == null ? "it answered request " + reply.id + ", which is not outstanding" : wrong);
      return;
    }
    if (part.request() == link.probe) {
      link.probe = null;
      probed.accept(link, reply.status);
      return;
    }
    if (part.request().op == PagerOp.STATUS && reply.status == Errno.OK) {
      onExtents(link, part);
    } else {
      count(link, part, reply.status);
      ended(part, reply.status);
    }
    pump(link);
  }

  private void count(ServerLink link, Part part, int status) {
    if (status != Errno.OK) {
      return;
    }
    switch (part.request().op) {
      case READ -> bytesRead += part.length();
      case WRITE -> {
        bytesWritten += part.length();
        link.holdsData = true;
        link.changed(part);
      }
      case TRIM, ZERO -> {
        link.holdsData = true;
        link.changed(part);
      }
      case STATUS, FLUSH -> { }
    }
  }

  private void onExtents(ServerLink link, Part part) {
    DeviceRequest request = part.request();
    long at = part.offset();
    long end = part.offset() + part.length();
    boolean more = true;
    for (int i = 0; i < reply.extentCount && more && at < end; i++) {
      long length = Math.min(Math.abs(reply.extents[i]), end - at);
      boolean allocated = reply.extents[i] > 0;
      more = request.sink.extent(at, length, allocated, !allocated);
      at += length;
    }
    if (at == part.offset()) {
      ended(part, Errno.EIO);
      failed.accept(link, "it answered a status request without extents");
    } else if (more && at < request.offset + request.length) {
      next(request, at);
    } else {
      complete(request, Errno.OK);
    }
  }

  private void ended(Part part, int errno) {
    partDone(part.request(), errno, part.offset() + part.length());
  }

  private void partDone(DeviceRequest request, int errno, long at) {
    if (request.errno == Errno.OK) {
      request.errno = errno;
    }
    if (--request.partsLeft > 0) {
      return;
    }
    if (isStepwise(request) && request.op == PagerOp.ZERO && request.errno == Errno.OK && at < request.offset + request.length) {
      next(request, at);
    } else {
      complete(request, request.errno);
    }
  }

  private void complete(DeviceRequest request, int errno) {
    if (errno != Errno.OK) {
      errors++;
    }
    device.finish(request, errno);
  }

  /** Handles a lost connection: outstanding parts wait for the next connection, or fail with EIO if they must not be sent again. */
  void takeBack(ServerLink link) {
    List<Part> failing = link.takeBack();
    for (Part part : failing) {
      Marks.hit(PagerMark.CLIENT_FAILS_OUTSTANDING);
      ended(part, Errno.EIO);
    }
  }

  /** Fails all outstanding and waiting parts of a dead server. */
  void failAll(ServerLink link, int errno) {
    for (Part part : link.takeAll()) {
      Marks.hit(PagerMark.CLIENT_FAILS_OUTSTANDING);
      ended(part, errno);
    }
  }

  @Override
  public void onCompleted(MessageChannel channel, long token, WcStatus status) {
    throw new IllegalStateException("the client asks for no notice, got one with token " + token);
  }

  @Override
  public void onSendRoom(MessageChannel channel) {
    pump((ServerLink) channel.attachment());
  }

  @Override
  public void onFailed(MessageChannel channel, WcStatus status, int vendorErr) {
    Marks.hit(PagerMark.CLIENT_QP_FAILED);
    broken.accept((ServerLink) channel.attachment(), "queue pair failed: " + status + " (" + vendorErr + ")");
  }
}
