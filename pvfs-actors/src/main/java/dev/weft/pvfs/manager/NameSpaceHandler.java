package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The name space, asked by messages. What it wants of the daemons is done by {@link Effects} once it is durable. One thread. */
final class NameSpaceHandler implements MetadataHandler {
  private static final Logger LOG = LoggerFactory.getLogger(NameSpaceHandler.class);
  private static final int INTENTS_MAX = 256;
  private static final byte[] NOTHING = {};
  /** In place of a length, at CLOSE. */
  private static final long NOT_WRITTEN = -1;

  private final MetadataStore store;
  private final NameSpace names;
  private final LongSupplier wallNs;
  private final Effects effects;
  private final EffectQueue queue;
  private final byte[] daemons;
  private final Writers writers = new Writers();
  /** The first intent that was not begun, and the first that clients were not told to wait for. */
  private long nextBegun;
  private long nextSeen;
  /** Some of what waits for a commit was written early, and could not be. */
  private boolean isPartLost;

  /**
   * On a store, which it owns.
   *
   * @param defaults of files and directories without a wish
   * @param wallNs nanoseconds since 1970
   * @param daemons lines for clients, each the node and the service of an I/O daemon
   */
  NameSpaceHandler(MetadataStore store, List<String> daemons, StripingWish defaults, LongSupplier wallNs, Effects effects) {
    this.store = store;
    this.wallNs = wallNs;
    this.effects = effects;
    this.queue = new EffectQueue(effects);
    this.daemons = String.join("\n", daemons).getBytes(StandardCharsets.UTF_8);
    if (this.daemons.length > MetaReply.VALUE_BYTES_MAX) {
      throw new IllegalArgumentException("the names of " + daemons.size() + " daemons have " + this.daemons.length + " bytes, may have "
          + MetaReply.VALUE_BYTES_MAX + " together");
    }
    this.names = NameSpace.open(store, NameSpaceSettings.of(daemons.size()).withDefaults(defaults), wallNs.getAsLong());
    for (Result<Boolean> end = names.endRecovery(); end.isOk() && !end.value(); end = names.endRecovery()) {
      names.commit();
    }
    names.commit();
  }

  @Override
  public MetaReply handle(MetaRequest request, long session) {
    try {
      MetaReply reply = answer(request, session);
      if (reply.errno() == Errno.EAGAIN) { // The batch is as large as it may be.
        commitEarly();
        reply = answer(request, session);
      }
      return reply;
    } catch (StoreException failed) {
      LOG.error("the store of metadata fails: {}", failed.getMessage());
      return MetaReply.failed(request.id(), Errno.EIO);
    } catch (IllegalArgumentException wrong) {
      return MetaReply.failed(request.id(), Errno.EINVAL);
    }
  }

  private MetaReply answer(MetaRequest request, long session) {
    long id = request.id();
    long inode = request.inode();
    Caller caller = request.caller();
    long nowNs = wallNs.getAsLong();
    return switch (request.op()) {
      case HELLO -> MetaReply.of(id, 0, daemons);
      case LOOKUP -> file(id, names.lookup(caller, inode, request.name()));
      case WALK -> file(id, names.walk(caller, inode, request.name(), request.number(0, 1) != 0));
      case GETATTR -> file(id, names.getattr(inode));
      case SETATTR -> file(id, names.setattr(caller, session, inode, change(request), nowNs));
      case CREATE -> create(request, caller, session, nowNs);
      case MKDIR -> file(id, names.mkdir(caller, inode, request.name(), (int) request.number(0, 0755), nowNs));
      case MKNOD -> file(id, names.mknod(caller, inode, request.name(), (int) request.number(0, 0), nowNs));
      case SYMLINK -> file(id, names.symlink(caller, inode, request.name(), request.value(), nowNs));
      case READLINK -> bytes(id, names.readlink(inode));
      case LINK -> file(id, names.link(caller, request.other(), inode, request.name(), nowNs));
      case UNLINK -> nothing(id, names.unlink(caller, inode, request.name(), nowNs));
      case RMDIR -> nothing(id, names.rmdir(caller, inode, request.name(), nowNs));
      case RENAME -> nothing(id, names.rename(caller, inode, request.name(), request.other(), request.value(), (int) request.number(0, 0), nowNs));
      case READDIR -> page(id, names.readdir(caller, session, inode, request.number(0, 0), Math.clamp(request.number(1, 0), 0,
          MetaReply.VALUE_BYTES_MAX), true), (int) request.number(1, 0));
      case GETXATTR -> bytes(id, names.getxattr(caller, inode, request.name()));
      case SETXATTR -> nothing(id, names.setxattr(caller, inode, request.name(), request.value(), (int) request.number(0, 0), nowNs));
      case LISTXATTR -> list(id, names.listxattr(caller, inode));
      case REMOVEXATTR -> nothing(id, names.removexattr(caller, inode, request.name(), nowNs));
      case OPEN -> open(request, caller, session, nowNs);
      case CLOSE -> close(request, caller, session, nowNs);
      case BYE -> MetaReply.ok(id);
      case STATFS -> MetaReply.of(id, names.statfs().inodes(), NOTHING);
      case SETSTRIPE -> file(id, names.setDefaultStriping(caller, inode, wish(request, 0), nowNs));
    };
  }

  private static StripingWish wish(MetaRequest request, int from) {
    int base = (int) request.number(from, -1);
    int count = (int) request.number(from + 1, 0);
    int stripeBytes = (int) request.number(from + 2, 0);
    return new StripingWish(base < 0 ? StripingWish.ANY : base, count <= 0 ? StripingWish.ANY : count, stripeBytes <= 0 ? StripingWish.ANY : stripeBytes);
  }

  private static AttributeChange change(MetaRequest request) {
    return new AttributeChange((int) request.number(0, 0), (int) request.number(1, 0), (int) request.number(2, 0), (int) request.number(3, 0),
        request.number(4, 0), request.number(5, 0), request.number(6, 0));
  }

  // Open files.

  private static int access(long wanted) {
    return ((wanted & 1) != 0 ? Capability.READ : 0) | ((wanted & 2) != 0 ? Capability.WRITE : 0);
  }

  private MetaReply create(MetaRequest request, Caller caller, long session, long nowNs) {
    StripingWish wish = wish(request, 2);
    int access = access(request.number(5, 0));
    Result<Inode> made = names.create(caller, request.inode(), request.name(), (int) request.number(0, 0644), request.number(1, 0) != 0,
        wish.equals(StripingWish.NONE) ? null : wish, session, access, nowNs);
    return opened(request.id(), made, session, access);
  }

  private MetaReply open(MetaRequest request, Caller caller, long session, long nowNs) {
    int access = access(request.number(0, 0));
    return opened(request.id(), names.open(caller, session, request.inode(), access, nowNs), session, access);
  }

  private MetaReply opened(long id, Result<Inode> result, long session, int access) {
    if (result.isOk() && (access & Capability.WRITE) != 0) {
      writers.opened(session, result.value().number());
    }
    return file(id, result);
  }

  private MetaReply close(MetaRequest request, Caller caller, long session, long nowNs) {
    long bytes = request.number(0, NOT_WRITTEN);
    if (bytes >= 0) {
      names.wrote(caller, session, request.inode(), bytes, request.number(2, 0) != 0, nowNs); // A file that is gone has no length.
    }
    Result<Void> closed = names.close(session, request.inode());
    if (closed.isOk() && request.number(1, 0) != 0) {
      writers.closed(session, request.inode(), bytes >= 0, bytes == NOT_WRITTEN);
    }
    return nothing(request.id(), closed);
  }

  // Answers.

  private MetaReply file(long id, Result<Inode> result) {
    if (!result.isOk()) {
      return MetaReply.failed(id, result.errno());
    }
    Inode inode = result.value();
    return new MetaReply(id, Errno.OK, attributes(inode), isLengthOpen(inode) ? 1 : 0, NOTHING);
  }

  /** Whether only the daemons know how long it is. */
  private boolean isLengthOpen(Inode inode) {
    return inode.isRegular() && writers.mayWrite(inode.number());
  }

  private static FileAttributes attributes(Inode inode) {
    return new FileAttributes(inode.number(), inode.type().modeBits() | inode.mode(), inode.uid(), inode.gid(), inode.links(), inode.sizeHint(),
        inode.atimeNs(), inode.mtimeNs(), inode.ctimeNs(), inode.striping());
  }

  private static MetaReply nothing(long id, Result<Void> result) {
    return MetaReply.failed(id, result.errno());
  }

  private static MetaReply bytes(long id, Result<byte[]> result) {
    return result.isOk() ? MetaReply.of(id, 0, result.value()) : MetaReply.failed(id, result.errno());
  }

  private static MetaReply list(long id, Result<List<byte[]>> result) {
    if (!result.isOk()) {
      return MetaReply.failed(id, result.errno());
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] name : result.value()) {
      all.writeBytes(name);
      all.write(0);
    }
    return all.size() > MetaReply.VALUE_BYTES_MAX ? MetaReply.failed(id, Errno.E2BIG) : MetaReply.of(id, 0, all.toByteArray());
  }

  private MetaReply page(long id, Result<List<DirEntry>> result, int bytes) {
    if (!result.isOk()) {
      return MetaReply.failed(id, result.errno());
    }
    DirectoryPage page = new DirectoryPage(bytes);
    for (DirEntry entry : result.value()) {
      if (!page.add(new DirectoryPage.Entry(entry.cookie(), entry.name(), attributes(entry.attributes()), isLengthOpen(entry.attributes())))) {
        break;
      }
    }
    return MetaReply.of(id, 0, page.encode());
  }

  // Durability.

  @Override
  public boolean commit() {
    boolean isLost = isPartLost;
    isPartLost = false;
    return write() && !isLost;
  }

  /** Before the answers to what is in the batch are sent; if it fails, {@link #commit} says so, since these answers are wrong then. */
  private boolean commitEarly() {
    boolean isWritten = write();
    isPartLost |= !isWritten;
    return isWritten;
  }

  private boolean write() {
    try {
      names.commit();
      return true;
    } catch (StoreException failed) {
      LOG.error("the store of metadata fails: {}", failed.getMessage());
      return false;
    }
  }

  @Override
  public Map<Long, Long> beginEffects(Effects.Listener listener) {
    beginMore(listener);
    Map<Long, Long> cut = new HashMap<>();
    for (List<Intent> page = names.intents(nextSeen, INTENTS_MAX); !page.isEmpty(); page = names.intents(nextSeen, INTENTS_MAX)) {
      page.stream().filter(intent -> intent.kind() == Intent.Kind.TRUNCATE).forEach(intent -> cut.put(intent.id(), intent.inode()));
      nextSeen = page.getLast().id() + 1;
    }
    return cut;
  }

  /** As many as are taken; with each that is done there is room for more. */
  private void beginMore(Effects.Listener listener) {
    for (List<Intent> page = names.intents(nextBegun, INTENTS_MAX); !page.isEmpty(); page = names.intents(nextBegun, INTENTS_MAX)) {
      for (Intent intent : page) {
        if (!queue.add(intent, listener)) {
          return;
        }
        nextBegun = intent.id() + 1;
      }
    }
  }

  @Override
  public void effectDone(long id, Effects.Listener listener) {
    Intent intent = queue.done(id, listener);
    if (intent != null && intent.kind() == Intent.Kind.REMOVE) {
      writers.removed(intent.inode());
    }
    names.intentDone(id);
  }

  @Override
  public void effectAgain(long id, Effects.Listener listener) {
    queue.again(id, listener);
  }

  @Override
  public void endSession(long session) {
    writers.ended(session);
    Result<Boolean> end = names.endSession(session);
    while (end.isOk() && !end.value() && commitEarly()) {
      end = names.endSession(session);
    }
  }

  @Override
  public void close() {
    store.close();
    effects.close();
  }
}
