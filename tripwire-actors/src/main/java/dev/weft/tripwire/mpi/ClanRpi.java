package dev.weft.tripwire.mpi;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The transport on a CLAN NIC. Short messages go into the receiver's ring with their bytes, while the receiver has room for them. All others are
 * announced there; when a receive takes one, the receiver exports the buffer of the receive, and the sender's DMA engine writes it. Data that is
 * placed first is visible first (PRAM consistency), so a word after a message shows that it has arrived.
 *
 * <p>Used by the thread of the rank, except {@link #abort}.
 */
public final class ClanRpi implements Rpi, AutoCloseable {
  private final Nic nic;
  private final Waiting waiting;
  private final MpiSettings settings;
  private final Matching matching = new Matching();
  private int rank;
  private Inbox inbox;
  private Endpoint endpoint;
  private Transfers transfers;
  private Peer[] peers;
  private Meeting meeting;
  private int requests;
  private int nextId = 1;
  private SelfLoop self;
  private boolean finished;
  /** An event other than a word of an inbox has happened. */
  private volatile boolean disturbed;
  private volatile int lostLid;
  private volatile String aborted;
  private MpiException failure;

  public ClanRpi(Nic nic, Waiting waiting, MpiSettings settings) {
    this.nic = nic;
    this.waiting = waiting;
    this.settings = settings;
  }

  // The nine functions.

  @Override
  public void init(int ownRank, int size) {
    if (size < 1 || size > settings.ranksMax() || ownRank < 0 || ownRank >= size) {
      throw new MpiException(ErrorClass.RANK, "rank " + ownRank + " of " + size + "; a job has 1 to " + settings.ranksMax()
          + " ranks (weft.tripwire.mpi.ranks-max)");
    }
    rank = ownRank;
    inbox = new Inbox(nic, size, settings.ringBytes());
    inbox.wire.onFired((wire, firings) -> waiting.ring(), ReceiveContext.ISR);
    endpoint = nic.endpoint(settings.port());
    endpoint.onMessage(this::disturb);
    transfers = new Transfers(nic, endpoint.dma(), waiting);
    nic.onBroken(lid -> {
      lostLid = lid;
      disturb();
    });
    nic.onRoom(this::disturb);
    peers = new Peer[size];
    for (int i = 0; i < size; i++) {
      peers[i] = new Peer(i, rank, inbox, settings);
    }
    self = new SelfLoop(rank, matching, settings);
    meeting = new Meeting(nic, endpoint, rank, peers, inbox.descriptor(), settings);
  }

  @Override
  public void addProcs(List<String> nodes) {
    meeting.meet(nodes, waiting);
  }

  @Override
  public void build(Request request) {
    if (requests == settings.requestsMax()) {
      throw new MpiException(ErrorClass.NO_MEM, "this rank has " + requests
          + " requests already; wait for some, or raise weft.tripwire.mpi.requests-max");
    }
    requests++;
  }

  @Override
  public void start(Request request) {
    if (failure != null) {
      request.fail(failure.errorClass(), failure.getMessage());
    } else if (request.kind == Request.Kind.RECEIVE) {
      receive(request);
    } else if (request.peer == rank) {
      self.send(request);
    } else {
      Peer peer = peers[request.peer];
      peer.items.add(new Peer.Item(Ring.REQUEST_TO_SEND, request, nextId++, 0, null));
      write(peer);
    }
  }

  @Override
  public boolean fastSend(MemorySegment buffer, int dest, int tag, int context) {
    Peer peer = peers[dest];
    return failure == null && dest != rank && peer.items.isEmpty() && peer.maySendEagerly((int) buffer.byteSize())
        && attempt(peer, () -> peer.tryEager(buffer, tag, context));
  }

  @Override
  public void advance(boolean mayWait) {
    boolean moved = move();
    if (!moved && mayWait && failure == null) {
      waiting.await(this::hasNews, inbox.wire, settings.repeatNs());
      if (!hasNews()) {
        repeat();
      }
      move();
    }
  }

  @Override
  public MpiStatus iprobe(int source, int tag, int context) {
    move();
    Arrival arrival = matching.peek(source, tag, context);
    if (arrival == null && failure != null) {
      throw new MpiException(failure.errorClass(), failure.getMessage());
    }
    return arrival == null ? null : arrival.status();
  }

  @Override
  public void destroy(Request request) {
    requests--;
    if (!request.isDone()) {
      matching.cancel(request);
      revoke(request);
    }
  }

  /** All ranks say good-bye to each other, because a rank that has left refuses all writes. */
  @Override
  public void finish() {
    for (Peer peer : peers) {
      if (peer.rank != rank) {
        peer.items.add(new Peer.Item(Ring.BYE, null, 0, 0, null));
      }
    }
    try {
      while (failure == null && someAreThere()) {
        advance(true);
      }
    } finally {
      close();
    }
    if (failure != null) {
      throw new MpiException(failure.errorClass(), failure.getMessage());
    }
  }

  private boolean someAreThere() {
    for (Peer peer : peers) {
      if (isThere(peer)) {
        return true;
      }
    }
    return false;
  }

  /** Notifies the others that this rank gives up, and frees everything. */
  void giveUp() {
    if (failure == null) {
      fail(ErrorClass.PROC_FAILED, "this rank has given up");
    }
    close();
  }

  /** Frees everything without notice. */
  @Override
  public void close() {
    if (finished || inbox == null) {
      return;
    }
    finished = true;
    nic.onBroken(null);
    nic.onRoom(null);
    for (Peer peer : peers) {
      peer.receiving.values().forEach(ClanRpi::revoke);
      if (peer.remote != null) {
        peer.remote.unmap();
      }
    }
    endpoint.close();
    inbox.close();
  }

  // Other threads.

  /** Ends the job for this rank: waiting and later calls fail with PROC_FAILED. Any thread. */
  public void abort(String reason) {
    aborted = reason;
    disturb();
  }

  private void disturb() {
    disturbed = true;
    waiting.ring();
  }

  /** Whether {@link #move} might do something. Any thread. */
  private boolean hasNews() {
    if (disturbed || transfers.hasNews()) {
      return true;
    }
    for (Peer peer : peers) {
      if (isThere(peer) && (peer.hasNews() || peer.status() != Status.OK)) {
        return true;
      }
    }
    return false;
  }

  // Moving.

  /** Does everything that is possible now; returns whether that was anything. */
  private boolean move() {
    return guarded(this::moveAll);
  }

  /** A refusal by the NIC ends the job: one half of an operation is done, and the other is impossible. */
  private boolean guarded(BooleanSupplier step) {
    try {
      return step.getAsBoolean();
    } catch (NicException refused) {
      if (failure == null) {
        fail(refused.status() == Status.EXHAUSTED ? ErrorClass.NO_MEM : ErrorClass.NETWORK, refused.getMessage());
      }
      return true;
    }
  }

  private boolean moveAll() {
    if (failure != null || peers.length == 1) {
      return checkAborted();
    }
    boolean moved = disturbed;
    disturbed = false;
    meeting.poll();
    for (Peer peer : peers) {
      if (isThere(peer)) {
        moved |= read(peer);
      }
    }
    moved |= transfers.move(this::onLeft);
    for (Peer peer : peers) {
      if (isThere(peer)) {
        moved |= write(peer);
        checkPeer(peer);
      }
    }
    return checkAborted() || moved;
  }

  private boolean checkAborted() {
    String reason = aborted != null ? aborted : meeting.aborted();
    if (reason != null && failure == null) {
      fail(ErrorClass.PROC_FAILED, "the job was ended: " + reason);
      return true;
    }
    return false;
  }

  /** Whether it is another rank that has not said good-bye. */
  private boolean isThere(Peer peer) {
    return peer.rank != rank && peer.remote != null && !peer.hasLeft();
  }

  private void checkPeer(Peer peer) {
    Status status = peer.lid != 0 && peer.lid == lostLid && peer.status() == Status.OK ? Status.BROKEN : peer.status();
    if (status != Status.OK && failure == null) {
      read(peer); // Earlier messages count, if good-bye was among them.
    }
    if (status != Status.OK && failure == null && !peer.hasLeft()) {
      boolean network = status == Status.BROKEN;
      fail(network ? ErrorClass.NETWORK : ErrorClass.PROC_FAILED,
          "rank " + peer.rank + (network ? ": something was lost on the way to or from it" : " is lost") + " (" + status + ")");
    }
  }

  /** Ends the job: fails all running requests, and notifies the others. */
  private void fail(ErrorClass errorClass, String reason) {
    failure = new MpiException(errorClass, reason);
    matching.failAll(errorClass, reason);
    transfers.failAll(errorClass, reason);
    for (Peer peer : peers) {
      for (Peer.Item item : peer.items) {
        if (item.request() != null) {
          item.request().fail(errorClass, reason);
        }
      }
      peer.items.clear();
      peer.announced.values().forEach(send -> send.fail(errorClass, reason));
      peer.receiving.values().forEach(receive -> {
        revoke(receive);
        receive.fail(errorClass, reason);
      });
      peer.receiving.clear();
    }
    meeting.tellAborted();
  }

  /** Ends remote writes to the buffer of a receive. */
  private static void revoke(Request request) {
    if (request.aperture != null) {
      request.aperture.revoke();
      request.aperture = null;
    }
  }

  /** Repeats the last words: a peer that has lost packets then notices it, because each packet carries its position in the flow. */
  private void repeat() {
    for (Peer peer : peers) {
      if (isThere(peer)) {
        attempt(peer, peer::tell);
      }
    }
  }

  /** A write that may find that the peer is lost. */
  private boolean attempt(Peer peer, BooleanSupplier write) {
    try {
      return write.getAsBoolean();
    } catch (NicException lost) {
      if (peer.status() == Status.OK) {
        throw new MpiException(ErrorClass.NETWORK, lost.getMessage());
      }
      checkPeer(peer);
      return false;
    }
  }

  // Sending.

  private boolean write(Peer peer) {
    boolean moved = false;
    while (!peer.items.isEmpty() && failure == null && attempt(peer, () -> writeFirst(peer))) {
      moved = true;
    }
    if (failure == null && peer.owesWords()) {
      moved |= attempt(peer, peer::tell);
    }
    return moved;
  }

  private boolean writeFirst(Peer peer) {
    Peer.Item item = peer.items.peek();
    Request request = item.request();
    boolean sent;
    if (item.kind() != Ring.REQUEST_TO_SEND) {
      sent = peer.tryControl(item.kind(), 0, item.remoteId(), 0, item.id(), item.body());
      peer.isToldBye |= sent && item.kind() == Ring.BYE;
    } else if (peer.maySendEagerly(request.length())) {
      sent = peer.tryEager(request.buffer, request.tag, request.context);
      if (sent) {
        request.done(null);
      }
    } else {
      sent = peer.tryControl(Ring.REQUEST_TO_SEND, request.context, request.tag, request.length(), item.id(), null);
      if (sent) {
        peer.announced.put(item.id(), request);
      }
    }
    if (sent) {
      peer.items.poll();
    }
    return sent;
  }

  /** A long message has left, or failed. Later writes arrive after it. */
  private void onLeft(Peer peer, Request send, Status status) {
    if (status == Status.OK) {
      peer.items.add(new Peer.Item(Ring.FINISHED, send, 0, send.remoteId, null));
      send.done(null);
    } else if (failure == null) {
      fail(ErrorClass.PROC_FAILED, "a message to rank " + peer.rank + " was not taken (" + status + ")");
    }
  }

  // Receiving.

  private void receive(Request receive) {
    Arrival arrival = matching.take(receive.peer, receive.tag, receive.context);
    if (arrival == null) {
      matching.post(receive);
    } else if (arrival.local() != null) {
      self.deliver(arrival.local(), receive);
    } else if (arrival.bytes() == null) {
      guarded(() -> {
        fetch(arrival, receive);
        return write(peers[arrival.source()]);
      });
    } else {
      if (arrival.source() == rank) {
        self.release(arrival.length());
      } else {
        peers[arrival.source()].release(arrival.length());
      }
      receive.receive(MemorySegment.ofArray(arrival.bytes()), arrival.status());
    }
  }

  /** Requests the bytes of an announced message for the buffer of a receive. */
  private void fetch(Arrival arrival, Request receive) {
    Peer peer = peers[arrival.source()];
    if (receive.isTooShortFor(arrival.status()) || arrival.length() == 0) {
      peer.items.add(new Peer.Item(Ring.DROP, receive, arrival.id(), 0, null));
      if (!receive.isDone()) {
        receive.done(arrival.status());
      }
    } else {
      int id = nextId++;
      peer.receiving.put(id, receive); // If the NIC refuses, the request fails with the others in the map.
      receive.aperture = nic.export(receive.memory(arrival.length()));
      receive.incoming = arrival.status();
      peer.items.add(new Peer.Item(Ring.CLEAR_TO_SEND, receive, arrival.id(), id,
          receive.aperture.descriptor(Rights.WRITE).toBytes()));
    }
  }

  private boolean read(Peer peer) {
    int end = peer.look();
    boolean moved = end != peer.read;
    while (failure == null && peer.next(this::onRecord)) {
      continue;
    }
    if (failure == null && peer.read != end) {
      fail(ErrorClass.NETWORK, "rank " + peer.rank + " wrote something else than records");
    }
    return moved;
  }

  private void onRecord(Peer peer, int kind, int context, int tag, int length, int id, MemorySegment body) {
    switch (kind) {
      case Ring.EAGER -> onMessage(peer, body, tag, context);
      case Ring.REQUEST_TO_SEND -> {
        Arrival arrival = new Arrival(peer.rank, tag, context, length, null, id, null);
        Request receive = matching.takePosted(peer.rank, tag, context);
        if (receive == null) {
          matching.add(arrival);
        } else {
          fetch(arrival, receive);
        }
      }
      case Ring.CLEAR_TO_SEND -> {
        Request send = known(peer, peer.announced.get(id), id);
        if (send != null) {
          send.mapping = nic.map(Descriptor.fromBytes(body.toArray(ValueLayout.JAVA_BYTE), 0));
          send.remoteId = tag;
          transfers.add(peer, send);
          peer.announced.remove(id); // Not before: if the NIC refuses, the request fails with the others in the map.
        }
      }
      case Ring.DROP -> {
        Request send = known(peer, peer.announced.remove(id), id);
        if (send != null) {
          send.done(null);
        }
      }
      case Ring.FINISHED -> {
        Request receive = known(peer, peer.receiving.remove(tag), tag);
        if (receive != null) {
          revoke(receive);
          receive.placed();
        }
      }
      default -> peer.hasSaidBye = true;
    }
  }

  private Request known(Peer peer, Request request, int id) {
    if (request == null) {
      fail(ErrorClass.NETWORK, "rank " + peer.rank + " answered to request " + id + ", which there is not");
    }
    return request;
  }

  private void onMessage(Peer peer, MemorySegment bytes, int tag, int context) {
    int length = (int) bytes.byteSize();
    Request receive = matching.takePosted(peer.rank, tag, context);
    if (receive == null) {
      matching.add(new Arrival(peer.rank, tag, context, length, bytes.toArray(ValueLayout.JAVA_BYTE), 0, null));
    } else {
      receive.receive(bytes, new MpiStatus(peer.rank, tag, length));
      peer.release(length);
    }
  }
}
