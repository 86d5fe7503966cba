package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests from the name space, and lets {@link Effects} do the daemons' work once it is durable. One thread. */
final class NameSpaceHandler implements MetadataHandler {
  private static final Logger LOG = LoggerFactory.getLogger(NameSpaceHandler.class);
  private static final byte[] NOTHING = {};

  private final KeptNameSpace kept;
  private final LongSupplier wallNs;
  private final Effects effects;
  private final DueIntents intents;
  private final byte[] daemons;
  private final Capabilities capabilities;
  private final Writers writers = new Writers();
  private final Replies replies;
  /** Files opened or closed for writing since clients were last told. */
  private final Set<Long> writing = new HashSet<>();
  private boolean isSettled;
  /** The error of an early write of changes that wait for a commit. */
  private int partLost = Errno.OK;
  /** Actions that restore state in memory if the batch is not written. */
  private final List<Runnable> ifLost = new ArrayList<>();
  private final EndingSessions ending;
  private final Holders holders;
  private final FormerAnswers former;
  private final LongValues staged = new LongValues();
  private final Graves graves = new Graves();

  /**
   * Answers from a name space, which it owns. Sessions of a previous manager may come back until {@link #endRecovery}.
   *
   * @param wallNs nanoseconds since 1970
   * @param lifetimeNs of a capability
   * @param daemons lines for clients, each with the node and the service of an I/O daemon
   */
  NameSpaceHandler(KeptNameSpace kept, List<String> daemons, LongSupplier wallNs, long lifetimeNs, Effects effects) {
    this.capabilities = new Capabilities(kept.get().label(), wallNs);
    this.replies = new Replies(writers, capabilities, lifetimeNs);
    this.kept = kept;
    this.wallNs = wallNs;
    this.effects = effects;
    this.intents = new DueIntents(kept, new EffectQueue(effects));
    this.daemons = String.join("\n", daemons).getBytes(StandardCharsets.UTF_8);
    if (this.daemons.length > MetaReply.VALUE_BYTES_MAX) {
      throw new IllegalArgumentException("the names of " + daemons.size() + " daemons have " + this.daemons.length + " bytes, may have "
          + MetaReply.VALUE_BYTES_MAX + " together");
    }
    this.ending = new EndingSessions(kept, this::write);
    writers.load(kept.get());
    holders = new Holders(kept);
    former = new FormerAnswers(kept);
  }

  private NameSpace names() {
    return kept.get();
  }

  @Override
  public boolean isSettled() {
    return isSettled;
  }

  @Override
  public MetaReply handle(MetaRequest request, long session) {
    isSettled = false;
    try {
      SuperBlock before = names().superBlock();
      MetaReply reply = answer(request, session);
      if (reply.errno() == Errno.EAGAIN) { // The batch is full.
        commitEarly();
        before = names().superBlock();
        reply = answer(request, session);
      }
      graves.bury(names().takeRemoved());
      if (reply.errno() == Errno.ESTALE) {
        return graves.answer(request, change(request), wallNs.getAsLong(), inode -> replies.file(request.id(), Result.ok(inode)));
      }
      if (reply.errno() == Errno.OK && request.op().isChange() && request.slot() != MetaRequest.NO_SLOT) {
        former.keep(names(), request, reply, session, before);
      }
      return reply;
    } catch (StoreException failed) {
      return MetaReply.failed(request.id(), failed.errno());
    } catch (IllegalArgumentException wrong) {
      return MetaReply.failed(request.id(), Errno.EINVAL);
    }
  }

  @Override
  public Repeated repeated(MetaRequest request, long session) {
    KeptAnswer before = former.find(request, session);
    if (before == null) {
      return null;
    }
    try {
      MetaReply reply = again(request, session, before);
      if (reply.errno() == Errno.EAGAIN) { // The batch is full.
        commitEarly();
        reply = again(request, session, before);
      }
      return new Repeated(reply, names().isIntended(before.intent()) ? before.intent() : KeptAnswer.NO_INTENT);
    } catch (StoreException failed) {
      return new Repeated(MetaReply.failed(request.id(), failed.errno()), KeptAnswer.NO_INTENT);
    }
  }

  /** Answers a repeated request. The store does not keep open files: a created file is opened once more. */
  private MetaReply again(MetaRequest request, long session, KeptAnswer before) {
    int access = request.op() == MetaOp.CREATE ? access(request.number(5, 0)) : 0;
    if (access == 0) {
      return before.inode() == null ? MetaReply.ok(request.id()) : replies.file(request.id(), Result.ok(before.inode()));
    }
    return opened(request.id(), names().openMade(session, before.inode().number(), access), session, access);
  }

  private MetaReply answer(MetaRequest request, long session) {
    long id = request.id();
    long inode = request.inode();
    Caller caller = request.caller();
    long nowNs = wallNs.getAsLong();
    NameSpace names = names();
    return switch (request.op()) {
      case HELLO -> MetaReply.of(id, 0, daemons);
      case LOOKUP -> replies.file(id, names.lookup(caller, inode, request.name()));
      case WALK -> replies.file(id, names.walk(caller, inode, request.name(), request.number(0, 1) != 0));
      case GETATTR -> replies.file(id, names.getattr(inode));
      case SETATTR -> setattr(request, caller, session, nowNs);
      case CREATE -> create(request, caller, session, nowNs);
      case MKDIR -> replies.file(id, names.mkdir(caller, inode, request.name(), (int) request.number(0, 0755), nowNs));
      case MKNOD -> replies.file(id, names.mknod(caller, inode, request.name(), (int) request.number(0, 0), (int) request.number(1, 0), nowNs));
      case SYMLINK -> replies.file(id, names.symlink(caller, inode, request.name(), request.value(), nowNs));
      case READLINK -> Replies.bytes(id, names.readlink(inode));
      case LINK -> replies.file(id, names.link(caller, request.other(), inode, request.name(), nowNs));
      case UNLINK -> Replies.nothing(id, names.unlink(caller, inode, request.name(), nowNs));
      case RMDIR -> Replies.nothing(id, names.rmdir(caller, inode, request.name(), nowNs));
      case RENAME -> Replies.nothing(id, names.rename(caller, inode, request.name(), request.other(), request.value(), (int) request.number(0, 0), nowNs));
      case READDIR -> replies.page(id, names.readdir(caller, session, inode, request.number(0, 0), Math.clamp(request.number(1, 0), 0,
          MetaReply.VALUE_BYTES_MAX), true), (int) request.number(1, 0));
      case GETXATTR -> LongValues.part(request, names.getxattr(caller, inode, request.name()));
      case SETXATTR -> setxattr(request, caller, session, nowNs);
      case LISTXATTR -> LongValues.part(request, LongValues.joined(names.listxattr(caller, inode)));
      case STAGE -> MetaReply.failed(id, staged.add(session, request.number(0, 0), request.value()));
      case REMOVEXATTR -> Replies.nothing(id, names.removexattr(caller, inode, request.name(), nowNs));
      case OPEN -> open(request, caller, session, nowNs);
      case CLOSE -> close(request, caller, session, nowNs);
      case BYE -> MetaReply.ok(id);
      case RECLAIM -> reclaim(request, session);
      case RENEW -> renew(id, inode, session);
      case STATFS -> MetaReply.of(id, names.statfs().inodes(), NOTHING);
      case SETSTRIPE -> replies.file(id, names.setDefaultStriping(caller, inode, wish(request, 0), nowNs));
      case EVENTS, LOCK, LOCK_TEST, LOCK_CANCEL, CLAIMED -> MetaReply.failed(id, Errno.ENOSYS); // The actor handles these.
    };
  }

  private static StripingWish wish(MetaRequest request, int from) {
    int base = (int) request.number(from, -1);
    int count = (int) request.number(from + 1, 0);
    int stripeBytes = (int) request.number(from + 2, 0);
    return new StripingWish(base < 0 ? StripingWish.ANY : base, count <= 0 ? StripingWish.ANY : count, stripeBytes <= 0 ? StripingWish.ANY : stripeBytes);
  }

  private MetaReply setattr(MetaRequest request, Caller caller, long session, long nowNs) {
    Result<Inode> changed = names().setattr(caller, session, request.inode(), change(request), nowNs);
    if (changed.isOk() && request.cuts()) {
      writers.cut(session, request.inode());
    }
    return replies.file(request.id(), changed);
  }

  private static AttributeChange change(MetaRequest request) {
    return new AttributeChange((int) request.number(0, 0), (int) request.number(1, 0), (int) request.number(2, 0), (int) request.number(3, 0),
        request.number(4, 0), request.number(5, 0), request.number(6, 0));
  }

  private MetaReply setxattr(MetaRequest request, Caller caller, long session, long nowNs) {
    byte[] value = staged.valueOf(request, session);
    return value == null ? MetaReply.failed(request.id(), Errno.ENOBUFS)
        : Replies.nothing(request.id(), names().setxattr(caller, request.inode(), request.name(), value, (int) request.number(0, 0), nowNs));
  }

  // Open files.

  private static int access(long wanted) {
    return ((wanted & 1) != 0 ? Capability.READ : 0) | ((wanted & 2) != 0 ? Capability.WRITE : 0)
        | ((wanted & MetaRequest.MAPS) != 0 ? Capability.MAPPED : 0);
  }

  private MetaReply create(MetaRequest request, Caller caller, long session, long nowNs) {
    StripingWish wish = wish(request, 2);
    int access = access(request.number(5, 0));
    Result<Inode> made = names().create(caller, request.inode(), request.name(), (int) request.number(0, 0644), request.number(1, 0) != 0,
        wish.equals(StripingWish.NONE) ? null : wish, session, access, nowNs);
    return opened(request.id(), made, session, access);
  }

  private MetaReply open(MetaRequest request, Caller caller, long session, long nowNs) {
    int access = access(request.number(0, 0));
    return opened(request.id(), names().open(caller, session, request.inode(), access, nowNs), session, access);
  }

  private MetaReply opened(long id, Result<Inode> result, long session, int access) {
    if (!result.isOk() || (access & Capability.WRITE) == 0) {
      return access == 0 ? replies.file(id, result) : replies.granted(id, result, session, accessOf(result, session));
    }
    Inode inode = result.value();
    boolean isSole = writers.opened(session, inode.number());
    ifLost.add(() -> writers.closed(session, inode.number(), false, false, false));
    writing.add(inode.number());
    MetaReply reply = replies.granted(id, result, session, accessOf(result, session));
    return isSole ? new MetaReply(id, reply.errno(), reply.attributes(), reply.number() | MetaReply.SOLE, reply.value(), reply.grant()) : reply;
  }

  /** Returns the access with which a session has a file open, in total. */
  private int accessOf(Result<Inode> file, long session) {
    return !file.isOk() ? 0 : names().accessOf(session, file.value().number());
  }

  private MetaReply renew(long id, long inode, long session) {
    NameSpace names = names();
    int access = names.accessOf(session, inode);
    return access == 0 ? MetaReply.failed(id, Errno.EBADF) : replies.granted(id, names.getattr(inode), session, access);
  }

  /** Opens a file again for a returning client, whose last capability proves that it had the file open. */
  private MetaReply reclaim(MetaRequest request, long session) {
    int access = access(request.number(0, 0));
    int count = Math.clamp(request.number(1, 0), 0, Integer.MAX_VALUE);
    if (!capabilities.isOf(request.value(), request.inode(), access & Capability.ACCESS_MASK, session)) {
      return MetaReply.failed(request.id(), Errno.EACCES);
    }
    Result<Inode> found = names().reclaim(session, request.inode(), access, count);
    if (found.isOk()) {
      writers.reclaimed(session, request.inode(), Math.clamp(request.number(2, 0), 0, count));
    }
    return replies.granted(request.id(), found, session, accessOf(found, session));
  }

  private MetaReply close(MetaRequest request, Caller caller, long session, long nowNs) {
    long bytes = request.number(0, MetaRequest.NOT_WRITTEN);
    NameSpace names = names();
    Result<Inode> written = null;
    if (bytes != MetaRequest.NOT_WRITTEN) {
      long wroteNs = request.number(4, 0);
      boolean keepsTimes = request.number(2, 0) != 0;
      written = names.wrote(caller, session, request.inode(), bytes, keepsTimes, wroteNs == 0 ? nowNs : wroteNs, nowNs); // A removed file has no length.
    }
    if (request.number(1, 0) == MetaRequest.UNMAPS) {
      names.unmapped(session, request.inode());
    }
    isSettled = written == null && names.closeForGood(session, request.inode());
    Result<Void> closed = isSettled ? Result.ok(null) : names.close(session, request.inode());
    if (closed.isOk() && request.number(1, 0) == 1) {
      writers.closed(session, request.inode(), bytes >= 0, bytes == MetaRequest.NOT_WRITTEN, request.number(3, 0) != 0);
      writing.add(request.inode());
      if (!isSettled) {
        ifLost.add(() -> writers.unsure(request.inode()));
      }
      if (!writers.mayWrite(request.inode())) {
        lengthKnown(request.inode());
      }
    }
    return written != null && written.isOk() && closed.isOk() ? replies.file(request.id(), written) : Replies.nothing(request.id(), closed);
  }

  private void lengthKnown(long inode) {
    if (!isSettled) {
      names().lengthKnown(inode); // If the batch is full the length stays unknown, and the daemons are asked.
      return;
    }
    try {
      names().lengthKnownLoosely(inode);
    } catch (StoreException failed) {
      LOG.debug("that the length of file {} is known is not written: {}", inode, failed.getMessage()); // The file is closed all the same.
    }
  }

  // State for the actor.

  @Override
  public Set<Long> takeChanged() {
    Set<Long> changed = kept.last().takeChanged();
    if (writing.isEmpty()) {
      return changed;
    }
    Set<Long> all = new HashSet<>(changed);
    all.addAll(writing);
    writing.clear();
    return all;
  }

  @Override
  public FileAttributes attributes(long inode) {
    try {
      Result<Inode> found = names().getattr(inode);
      return found.isOk() ? Replies.attributes(found.value()) : null;
    } catch (StoreException failed) {
      return null; // The next request gets the error.
    }
  }

  @Override
  public boolean isGone(long inode) {
    try {
      return names().getattr(inode).errno() == Errno.ESTALE;
    } catch (StoreException failed) {
      return false;
    }
  }

  // Durability.

  @Override
  public boolean isOverdue() {
    return kept.last().isOverdue();
  }

  @Override
  public int commit() {
    int lost = partLost;
    partLost = Errno.OK;
    int written = write();
    return lost != Errno.OK ? lost : written;
  }

  private int write() {
    int errno = kept.commit();
    if (errno != Errno.OK) {
      ifLost.forEach(Runnable::run);
    }
    ifLost.clear();
    return errno;
  }

  /** Writes the batch before its answers are sent. If that fails, these answers are wrong, and {@link #commit} returns the error. */
  private void commitEarly() {
    int errno = write();
    partLost = partLost == Errno.OK ? errno : partLost;
  }

  @Override
  public Map<Long, Long> beginEffects(Effects.Listener listener) {
    Map<Long, Long> cut = null;
    try {
      cut = intents.cutFiles();
      intents.begin(listener);
    } catch (StoreException failed) {
      LOG.warn("effects on daemons wait: {}", failed.getMessage());
    }
    return cut;
  }

  @Override
  public boolean effectDone(long id, Effects.Listener listener) {
    return effectEnded(id, listener, () -> names().intentDone(id));
  }

  @Override
  public boolean effectRefused(long id, long fileBytes, Effects.Listener listener) {
    if (!effectEnded(id, listener, () -> names().intentRefused(id, fileBytes))) {
      return false;
    }
    former.refused(id);
    return true;
  }

  private boolean effectEnded(long id, Effects.Listener listener, Supplier<Result<Void>> record) {
    try {
      Result<Void> done = record.get();
      if (done.errno() == Errno.EAGAIN) { // The batch is full; no answer waits for it.
        write();
        done = record.get();
      }
      if (done.errno() == Errno.EAGAIN || commit() != Errno.OK) {
        return false; // The work must not be repeated after later changes.
      }
    } catch (StoreException failed) {
      return false;
    }
    Intent intent = intents.done(id, listener);
    if (intent != null && intent.kind() == Intent.Kind.REMOVE) {
      writers.removed(intent.inode());
    }
    return true;
  }

  @Override
  public void effectAgain(long id, Effects.Listener listener) {
    intents.again(id, listener);
  }

  @Override
  public void holds(long session) {
    holders.add(session, ifLost::add);
    if (!holders.contains(session)) { // The batch may be full.
      commitEarly();
      holders.add(session, ifLost::add);
    }
  }

  @Override
  public boolean isHolder(long session) {
    return holders.contains(session);
  }

  @Override
  public Set<Long> holders() {
    return holders.all();
  }

  @Override
  public void endSession(long session) {
    writers.ended(session);
    staged.end(session);
    holders.remove(session);
    former.ended(session);
    ending.add(session);
    ending.end();
  }

  @Override
  public void beginSession(long session) {
    ending.remove(session);
  }

  @Override
  public void endSessions() {
    ending.end();
  }

  @Override
  public boolean isRecovering() {
    try {
      return names().isRecovering();
    } catch (StoreException failed) {
      return true;
    }
  }

  @Override
  public boolean endRecovery(Set<Long> back) {
    try {
      if (!ending.isDone(() -> names().endRecovery())) {
        return false;
      }
      ending.removeAll(back); // They came back before their end could be written.
      ending.end(); // Sessions left from the last attempt.
      Set<Long> gone = new TreeSet<>(names().sessions());
      gone.addAll(holders.all());
      gone.addAll(former.sessions());
      gone.stream().filter(session -> !back.contains(session)).forEach(this::endSession);
      return ending.isEmpty(); // Their locks are free once this is written.
    } catch (StoreException failed) {
      return false;
    }
  }

  @Override
  public MetadataState state() {
    return new MetadataState(kept.trouble(), kept.failures(), kept.reopened(), intents.underWay(), ending.count(), kept.last().openCount());
  }

  @Override
  public Checked check(boolean repairs) {
    write(); // Records of holders may not be written yet.
    try {
      return kept.check(repairs, writers::mayWrite);
    } catch (StoreException | IllegalStateException failed) {
      return Checked.failed(failed.getMessage());
    }
  }

  @Override
  public void close() {
    kept.close();
    effects.close();
  }
}
