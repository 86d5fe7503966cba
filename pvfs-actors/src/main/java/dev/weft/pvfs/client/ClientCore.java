package dev.weft.pvfs.client;

import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.pvfs.Costs;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Hello;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The logic of a client: cuts tasks into parts, sends parts as credits and lent buffers allow, and puts the data of answers into place.
 *
 * <p>Bounds: {@code tasks-max} tasks, and for each task at most {@code window} bytes in requests.
 */
final class ClientCore implements MessageHandler {
  private final ClientSettings settings;
  private final List<DaemonLink> links;
  private final UserMemory userMemory;
  private final PartMemory partMemory = new PartMemory();
  private final DirectMoves direct;
  private final LongSupplier clockNs;
  private final BiConsumer<DaemonLink, String> broken;
  private final Consumer<String> trouble;
  private final LostChanges losses;
  private final Costs costs;
  private final Predicate<DaemonTask> renew;
  private final Set<IoTask> tasks = new LinkedHashSet<>();
  /** The tasks for STATFS: each ends after its time, without the daemons that have not answered. */
  private final Set<IoTask> rooms = new LinkedHashSet<>();
  private final Patience patience;
  private final RequestSender sender;
  private final DaemonReply reply = new DaemonReply();
  private final List<DaemonTask> cut = new ArrayList<>();
  long bytesRead;
  long bytesWritten;
  long errors;
  /** Reads whose data differs from the daemon's, and writes whose data differed at the daemon. Each was repeated or ended with EIO. */
  long badReads;
  long badWrites;

  /**
   * Makes the logic of one client.
   *
   * @param capabilities gives requests their capabilities
   * @param losses records what daemons have lost
   * @param renew asks for a new capability for a refused request, and calls {@link #again} later; returns false if it cannot ask
   * @param broken reports a daemon whose connection cannot be used any more, with the reason
   * @param trouble reports problems to people, as text
   */
  ClientCore(ClientSettings settings, List<DaemonLink> links, UserMemory userMemory, LongSupplier clockNs, CapabilitySource capabilities,
      LostChanges losses, Costs costs, Predicate<DaemonTask> renew, BiConsumer<DaemonLink, String> broken, Consumer<String> trouble) {
    this.settings = settings;
    this.links = links;
    this.patience = new Patience(settings);
    this.userMemory = userMemory;
    this.direct = new DirectMoves(userMemory);
    this.clockNs = clockNs;
    this.sender = new RequestSender(settings, userMemory, partMemory, capabilities, costs, this::over);
    this.losses = losses;
    this.costs = costs;
    this.renew = renew;
    this.broken = broken;
    this.trouble = trouble;
  }

  RequestSender sender() {
    return sender;
  }

  int underWay() {
    return tasks.size();
  }

  void begin(IoTask task, long nowNs) {
    task.beganNs = nowNs;
    tasks.add(task);
    if (task.striping.daemons() > links.size()) {
      task.fail(Errno.ESTALE); // The file system has more daemons than this client knows.
    } else if (moves(task.op)) {
      goOn(task);
    } else if (task.op == DaemonOp.SCRUB) {
      for (int slot = 0; slot < task.striping.count(); slot++) {
        scrub(task, slot, task.striping.localBytes(slot, task.offsets[0]));
      }
    } else if (task.op == DaemonOp.PUNCH) {
      cut.clear();
      Cutter.cutHoles(task, cut);
      addAll(task);
    } else if (task.op == DaemonOp.LIST) {
      DaemonTask part = new DaemonTask(task, task.op, 0);
      part.file.add(task.offsets[0], (int) task.lengths[0]);
      part.memory.add(0, (int) task.lengths[0], 0);
      add(part);
    } else {
      if (task.op == DaemonOp.STATFS) {
        rooms.add(task);
      }
      askAll(task, task.op);
    }
    endIfOver(task);
  }

  static boolean moves(DaemonOp op) {
    return op == DaemonOp.READ || op == DaemonOp.WRITE;
  }

  /** Records the identity of a daemon, before anything is sent to it. */
  void meet(DaemonLink link, Hello hello) {
    if (!link.isAnother(hello)) {
      return;
    }
    if (hello.isInMemory() || !link.unsynced.isEmpty()) {
      trouble.accept("I/O daemon " + link.address.service() + " of node " + link.address.node() + " was started anew: "
          + (hello.isInMemory() ? "all that it had in memory is lost" : "what was not synced may be lost")
          + (link.unsynced.isEmpty() ? "" : "; the next fsync of what was written here, " + link.unsynced + ", fails with EIO"));
    }
    link.hasLostAll |= hello.isInMemory();
    link.unsynced.moveTo(losses);
  }

  /** Records that a file was changed at all of its daemons without a task. */
  void changed(long file, Striping striping) {
    for (int slot = 0; striping.daemons() <= links.size() && slot < striping.count(); slot++) {
      links.get(striping.daemonOf(slot)).unsynced.changed(file);
    }
  }

  // Cutting.

  private void goOn(IoTask task) {
    task.skipWhole();
    while (!task.isCut() && !task.hasFailed() && task.underWayBytes < settings.windowBytes()) {
      cut.clear();
      long bytes = Math.max(settings.requestBytes(), settings.windowBytes() / 4);
      if (task.shape() == null) {
        Cutter.cut(task, bytes, settings.requestBytes(), cut);
      } else {
        Cutter.cutShape(task, bytes, settings.requestBytes(), cut);
      }
      addAll(task);
    }
  }

  private void addAll(IoTask task) {
    for (int i = 0; i < cut.size() && !task.hasFailed(); i++) {
      add(cut.get(i));
    }
  }

  private void askAll(IoTask task, DaemonOp op) {
    for (int slot = 0; slot < task.striping.count(); slot++) {
      DaemonTask part = new DaemonTask(task, op, slot);
      if (op == DaemonOp.TRUNCATE || op == DaemonOp.EXTEND) {
        part.file.add(task.striping.localBytes(slot, task.offsets[0]), 0);
      }
      add(part);
    }
  }

  /** Scrubs a local object from an offset on. The daemon scrubs a part and returns where the next one begins. */
  private void scrub(IoTask task, int slot, long from) {
    long left = task.striping.localBytes(slot, task.offsets[0] + task.lengths[0]) - from;
    if (left > 0) {
      DaemonTask part = new DaemonTask(task, task.op, slot);
      part.file.add(from, (int) Math.min(left, DaemonRequest.DATA_BYTES_MAX));
      add(part);
    }
  }

  private void add(DaemonTask part) {
    part.task.underWayBytes += part.file.totalBytes();
    part.task.requestsUnderWay++;
    DaemonLink link = linkOf(part);
    if (link.tuner != null && moves(part.op)) {
      part.queuedNs = clockNs.getAsLong();
      part.isTimed = link.isUp();
    }
    link.waiting.add(part);
    pump(link);
  }

  private DaemonLink linkOf(DaemonTask part) {
    return links.get(part.task.striping.daemonOf(part.slot));
  }

  // Sending.

  /** Sends what credits and buffers allow. */
  void pump(DaemonLink link) {
    while (link.isUp() && link.requests.maySend()) {
      DaemonTask part = link.waiting.peek();
      if (part.task.hasFailed()) {
        link.takeNext();
        over(part, Errno.OK);
        continue;
      }
      if (part.losses >= settings.sendTries()) {
        link.takeNext();
        giveUp(link, part);
        continue;
      }
      Fence.State fence = part.task.fence();
      if (fence == Fence.State.SHUT || fence == Fence.State.UNSURE && link.unsureForNs(clockNs.getAsLong()) >= settings.patienceNs()) {
        link.takeNext();
        over(part, Errno.EIO);
        continue;
      }
      link.isUnsure = fence == Fence.State.UNSURE; // Repeated requests go before all new ones, so these wait, too.
      if (link.isUnsure || link.mustWait(part) || !sender.trySend(link, part)) {
        return;
      }
    }
  }

  private void giveUp(DaemonLink link, DaemonTask part) {
    trouble.accept(part.at(link) + ": " + part.losses + " connections were lost in turn while it was under way; it ends with EIO");
    over(part, Errno.EIO);
  }

  // Answers.

  @Override
  public void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {
    onReply((DaemonLink) channel.attachment(), buffer, offset, length, -1);
  }

  @Override
  public boolean onImmediate(MessageChannel channel, int slot, int length) {
    DaemonLink link = (DaemonLink) channel.attachment();
    if (link.fast == null || slot < 0 || (slot + 1L) * link.slotBytes > link.fast.length() || length > link.slotBytes) {
      return false;
    }
    onReply(link, link.fast.segment(), (long) slot * link.slotBytes, length, slot);
    return true;
  }

  private void onReply(DaemonLink link, MemorySegment from, long at, int length, int slot) {
    costs.receives(length);
    if (!reply.decode(from, at, length)) {
      broken.accept(link, "it sent " + reply.problem());
      return;
    }
    DaemonTask part = link.requests.get(reply.id);
    if (reply.isLoan && part != null && part.band == Band.CLIENT && !part.hasLoan) {
      direct.begin(link, part, reply.loanAddress, reply.loanKey);
      return;
    }
    String wrong = reply.isLoan ? "it lends a buffer for request " + reply.id + ", which wants none"
        : part == null ? "it answered request " + reply.id + ", which it was not asked" : part.problemOf(reply, slot, length - DaemonReply.BYTES);
    if (wrong != null) {
      broken.accept(link, wrong); // Sent requests are repeated on the next connection.
      return;
    }
    link.onAnswered(part);
    link.requests.returned(reply.credits);
    int errno = reply.errno == Errno.OK ? take(link, part, from, at + DaemonReply.BYTES) : reply.errno;
    RequestSender.freeSlot(link, part);
    if (part.isTimed && errno == Errno.OK) {
      link.tuner.learn(part.op == DaemonOp.WRITE, part.file.totalBytes(), part.band, clockNs.getAsLong() - part.queuedNs);
    }
    boolean isRefused = reply.errno == Errno.EACCES || reply.errno == Errno.ESTALE;
    if (isRefused && !part.hasRenewed && renew.test(part)) {
      part.hasRenewed = true;
    } else if (errno == Errno.EBADMSG && part.isChecked) {
      onBadData(link, part);
    } else {
      over(part, errno);
    }
    pump(link);
  }

  /** Handles data that arrived different from what was sent. */
  private void onBadData(DaemonLink link, DaemonTask part) {
    if (part.op == DaemonOp.READ) {
      badReads++;
    } else {
      badWrites++;
    }
    if (++part.badTries < settings.checkTries()) {
      again(part);
    } else {
      trouble.accept(part.at(link) + ": " + part.badTries + " times in turn what came is not what was "
          + "sent; it ends with EIO. Does another thread change its memory meanwhile, or is memory of a host bad?");
      over(part, Errno.EIO);
    }
  }

  /** Sends a part again: after a new capability arrived or none can be had, or because its data was bad. */
  void again(DaemonTask part) {
    if (tasks.contains(part.task)) {
      part.id = 0; // To the daemon this is a new request.
      part.band = null; // The connection may be a new one.
      part.hasLoan = false;
      part.isTimed = false;
      DaemonLink link = linkOf(part);
      link.waiting.add(part);
      pump(link);
    }
  }

  /** Takes the contents of an answer; returns an errno. */
  private int take(DaemonLink link, DaemonTask part, MemorySegment from, long dataAt) {
    IoTask task = part.task;
    switch (part.op) {
      case READ -> {
        try {
          if (part.band.hasDataBehind()) {
            PartMemory.copyIn(part, from, dataAt);
            sender.copied(part.memory.totalBytes());
          }
          PartMemory.zeroTail(part, reply.objectBytes);
          if (part.isChecked && partMemory.sumOfRead(part, reply.objectBytes) != reply.sum) {
            return Errno.EBADMSG;
          }
        } catch (IllegalStateException lost) {
          return Errno.EFAULT;
        }
        bytesRead += reply.bytes;
        task.learnRead(part.slot, reply.objectBytes, part.file.end());
      }
      case WRITE -> {
        bytesWritten += reply.bytes;
        link.unsynced.changed(task.object);
      }
      case STAT -> {
        task.learn(part.slot, reply.objectBytes);
        if (task.op == DaemonOp.STAT) {
          task.learnWritten(reply.bytes);
        }
      }
      case STATFS -> {
        if (rooms.contains(task)) { // Otherwise the task has ended without this daemon.
          task.learnRoom(reply.bytes, reply.objectBytes, reply.sum);
        }
      }
      case LIST -> {
        try {
          MemorySegment.copy(from, dataAt, task.memory[0], 0, reply.bytes);
        } catch (IllegalStateException closed) {
          return Errno.EFAULT;
        }
        task.learnPage((int) reply.bytes, reply.objectBytes);
      }
      case SCRUB -> {
        task.learnBad(reply.bytes);
        if (reply.objectBytes > part.file.offset(0)) {
          scrub(task, part.slot, reply.objectBytes);
        }
      }
      case TRUNCATE, EXTEND, PUNCH -> link.unsynced.changed(task.object);
      case SYNC -> {
        if (!link.theirs.isInMemory()) { // For a daemon in memory, a sync makes nothing survive its end.
          link.unsynced.synced(task.object, part.sentAfter);
        }
      }
      case REMOVE -> { }
    }
    return Errno.OK;
  }

  private void over(DaemonTask part, int errno) {
    IoTask task = part.task;
    task.underWayBytes -= part.file.totalBytes();
    task.requestsUnderWay--;
    if (errno != Errno.OK && !(part.op == DaemonOp.REMOVE && errno == Errno.ENOENT)) {
      task.fail(errno);
    }
    if (!task.hasFailed() && !task.isCut() && moves(part.op)) {
      goOn(task);
    }
    endIfOver(task);
  }

  private void endIfOver(IoTask task) {
    if (task.requestsUnderWay > 0 || !tasks.contains(task)) {
      return;
    }
    if (task.mustAskLengths()) {
      askAll(task, DaemonOp.STAT);
      return;
    }
    if (task.mustReadAgain()) {
      goOn(task);
      return;
    }
    zeroRest(task);
    end(task);
  }

  private void end(IoTask task) {
    tasks.remove(task);
    rooms.remove(task);
    errors += task.hasFailed() ? 1 : 0;
    userMemory.release(task);
    task.finish();
  }

  private static void zeroRest(IoTask task) {
    try {
      PartMemory.use(task::zeroRest);
    } catch (IllegalStateException lost) {
      task.fail(Errno.EFAULT);
    }
  }

  @Override
  public void onCompleted(MessageChannel channel, long token, WcStatus status) {
    DaemonLink link = (DaemonLink) channel.attachment();
    if (status == WcStatus.SUCCESS) {
      direct.fetched(link, token);
    }
  }

  @Override
  public void onSendRoom(MessageChannel channel) {
    DaemonLink link = (DaemonLink) channel.attachment();
    direct.move(link);
    pump(link);
  }

  @Override
  public void onFailed(MessageChannel channel, WcStatus status, int vendorErr) {
    broken.accept((DaemonLink) channel.attachment(), "its connection failed: " + status);
  }

  // Time.

  /** Ends tasks with EIO that have waited long enough for unreachable daemons. STATFS goes on without these daemons. */
  void onTime(long nowNs) {
    for (DaemonLink link : links) {
      if (link.isUnsure) {
        pump(link);
      }
      if (!link.isUp()) {
        patience.takeOverdue(link, nowNs).forEach(part -> over(part, Errno.EIO));
      }
    }
    List.copyOf(rooms).stream().filter(room -> nowNs - room.beganNs >= settings.statfsPatienceNs()).forEach(this::endRoom);
  }

  private void endRoom(IoTask room) {
    links.forEach(link -> link.waiting.removeIf(part -> part.task == room));
    if (room.totalBytes() == 0) {
      room.fail(Errno.EIO); // No daemon has answered.
    }
    end(room);
  }

  /** The process was paused for so long and could not hear from a daemon: this time counts for no task. */
  void stoodStill(long ns) {
    links.stream().filter(link -> !link.isUp()).forEach(link -> link.lostNs += ns);
    tasks.forEach(task -> task.beganNs += ns);
  }

  /** Returns after which time to call {@link #onTime}; negative if nothing waits for it. */
  long waitNs(long nowNs) {
    return patience.waitNs(links, rooms, nowNs);
  }

  /** Ends all tasks. */
  void failAll(int errno) {
    for (IoTask task : List.copyOf(tasks)) {
      task.fail(errno);
      end(task);
    }
    for (DaemonLink link : links) {
      link.requests.clear();
    }
  }
}
