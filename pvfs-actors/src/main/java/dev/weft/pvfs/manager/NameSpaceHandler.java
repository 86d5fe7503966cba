package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaArguments;
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
        return graves.answer(request, wallNs.getAsLong(), inode -> replies.file(request.id(), Result.ok(inode)));
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
    int access = request.op() == MetaOp.CREATE ? MetaArguments.access(MetaArguments.Create.of(request).opens()) : 0;
    if (access == 0) {
      return before.inode() == null ? MetaReply.ok(request.id()) : replies.file(request.id(), Result.ok(before.inode()));
    }
    return opened(request.id(), names().openMade(session, before.inode().number(), access), session, access);
  }

  private MetaReply answer(MetaRequest request, long session) {
    long id = request.id();
    Caller caller = request.caller();
    long nowNs = wallNs.getAsLong();
    NameSpace names = names();
    return switch (MetaArguments.of(request)) {
      case MetaArguments.Hello _ -> MetaReply.of(id, 0, daemons);
      case MetaArguments.Lookup at -> replies.file(id, names.lookup(caller, at.parent(), at.name()));
      case MetaArguments.Walk walk -> replies.file(id, names.walk(caller, walk.from(), walk.path(), walk.followsLast()));
      case MetaArguments.Getattr of -> replies.file(id, names.getattr(of.inode()));
      case MetaArguments.Setattr changes -> setattr(id, changes, caller, session, nowNs);
      case MetaArguments.Create make -> create(id, make, caller, session, nowNs);
      case MetaArguments.Mkdir make -> replies.file(id, names.mkdir(caller, make.parent(), make.name(), make.mode(), nowNs));
      case MetaArguments.Mknod make -> replies.file(id, names.mknod(caller, make.parent(), make.name(), make.mode(), make.device(), nowNs));
      case MetaArguments.Symlink make -> replies.file(id, names.symlink(caller, make.parent(), make.name(), make.target(), nowNs));
      case MetaArguments.Readlink of -> Replies.bytes(id, names.readlink(of.inode()));
      case MetaArguments.Link to -> replies.file(id, names.link(caller, to.inode(), to.parent(), to.name(), nowNs));
      case MetaArguments.Unlink at -> Replies.nothing(id, names.unlink(caller, at.parent(), at.name(), nowNs));
      case MetaArguments.Rmdir at -> Replies.nothing(id, names.rmdir(caller, at.parent(), at.name(), nowNs));
      case MetaArguments.Rename move -> Replies.nothing(id, names.rename(caller, move.from(), move.name(), move.to(), move.newName(), move.flags(), nowNs));
      case MetaArguments.Readdir page -> replies.page(id, names.readdir(caller, session, page.directory(), page.cookie(),
          Math.clamp(page.bytes(), 0, MetaReply.VALUE_BYTES_MAX), true), (int) page.bytes());
      case MetaArguments.Getxattr of -> LongValues.part(id, of.from(), names.getxattr(caller, of.inode(), of.name()));
      case MetaArguments.Setxattr of -> setxattr(id, of, caller, session, nowNs);
      case MetaArguments.Listxattr of -> LongValues.part(id, of.from(), LongValues.joined(names.listxattr(caller, of.inode())));
      case MetaArguments.Stage stage -> MetaReply.failed(id, staged.add(session, stage.from(), stage.part()));
      case MetaArguments.Removexattr of -> Replies.nothing(id, names.removexattr(caller, of.inode(), of.name(), nowNs));
      case MetaArguments.Open open -> open(id, open, caller, session, nowNs);
      case MetaArguments.Close close -> close(id, close, caller, session, nowNs);
      case MetaArguments.Bye _ -> MetaReply.ok(id);
      case MetaArguments.Reclaim held -> reclaim(id, held, session);
      case MetaArguments.Renew of -> renew(id, of.inode(), session);
      case MetaArguments.Statfs _ -> MetaReply.of(id, names.statfs().inodes(), NOTHING);
      case MetaArguments.Setstripe of -> replies.file(id, names.setDefaultStriping(caller, of.directory(), of.striping().wish(), nowNs));
      case MetaArguments.Events _, MetaArguments.Lock _, MetaArguments.LockTest _, MetaArguments.LockCancel _, MetaArguments.Claimed _ ->
          MetaReply.failed(id, Errno.ENOSYS); // The actor handles these.
    };
  }

  private MetaReply setattr(long id, MetaArguments.Setattr changes, Caller caller, long session, long nowNs) {
    AttributeChange change = AttributeChange.of(changes);
    Result<Inode> changed = names().setattr(caller, session, changes.inode(), change, nowNs);
    if (changed.isOk() && change.has(AttributeChange.SIZE)) {
      writers.cut(session, changes.inode());
    }
    return replies.file(id, changed);
  }

  private MetaReply setxattr(long id, MetaArguments.Setxattr of, Caller caller, long session, long nowNs) {
    byte[] value = staged.valueOf(of, session);
    return value == null ? MetaReply.failed(id, Errno.ENOBUFS)
        : Replies.nothing(id, names().setxattr(caller, of.inode(), of.name(), value, of.flags(), nowNs));
  }

  // Open files.

  private MetaReply create(long id, MetaArguments.Create make, Caller caller, long session, long nowNs) {
    StripingWish wish = make.striping().wish();
    int access = MetaArguments.access(make.opens());
    Result<Inode> made = names().create(caller, make.parent(), make.name(), make.mode(), make.isExclusive(),
        wish.equals(StripingWish.NONE) ? null : wish, session, access, nowNs);
    return opened(id, made, session, access);
  }

  private MetaReply open(long id, MetaArguments.Open open, Caller caller, long session, long nowNs) {
    int access = MetaArguments.access(open.opens());
    return opened(id, names().open(caller, session, open.inode(), access, nowNs), session, access);
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
  private MetaReply reclaim(long id, MetaArguments.Reclaim held, long session) {
    int access = MetaArguments.access(held.opens());
    int count = Math.clamp(held.count(), 0, Integer.MAX_VALUE);
    if (!capabilities.isOf(held.capability(), held.inode(), access & Capability.ACCESS_MASK, session)) {
      return MetaReply.failed(id, Errno.EACCES);
    }
    Result<Inode> found = names().reclaim(session, held.inode(), access, count);
    if (found.isOk()) {
      writers.reclaimed(session, held.inode(), Math.clamp(held.writers(), 0, count));
    }
    return replies.granted(id, found, session, accessOf(found, session));
  }

  private MetaReply close(long id, MetaArguments.Close close, Caller caller, long session, long nowNs) {
    long inode = close.inode();
    boolean isWritten = close.bytes() != MetaRequest.NOT_WRITTEN;
    NameSpace names = names();
    Result<Inode> written = null;
    if (isWritten) {
      long wroteNs = close.wroteNs() == 0 ? nowNs : close.wroteNs();
      written = names.wrote(caller, session, inode, close.bytes(), close.keepsTimes(), wroteNs, nowNs); // A removed file has no length.
    }
    if (close.unmaps()) {
      names.unmapped(session, inode);
    }
    isSettled = !isWritten && names.closeForGood(session, inode);
    Result<Void> closed = isSettled ? Result.ok(null) : names.close(session, inode);
    if (closed.isOk() && close.wasWritable()) {
      writers.closed(session, inode, close.bytes() >= 0, !isWritten, close.coversAll());
      writing.add(inode);
      if (!isSettled) {
        ifLost.add(() -> writers.unsure(inode));
      }
      if (!writers.mayWrite(inode)) {
        lengthKnown(inode);
      }
    }
    return written != null && written.isOk() && closed.isOk() ? replies.file(id, written) : Replies.nothing(id, closed);
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
