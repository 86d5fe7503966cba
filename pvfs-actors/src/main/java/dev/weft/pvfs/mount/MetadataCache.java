package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.meta.EventListener;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaArguments;
import dev.weft.pvfs.wire.MetaEvent;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Names and attributes that the manager lets this mount cache until they change. Only the client's thread changes the cache, in the order of the
 * manager's messages, so old entries never replace newer ones. Bound: {@code max} inodes, and as many names; beyond that it starts anew. Any thread.
 */
final class MetadataCache implements EventListener {
  /** An inode, as the manager knows it. */
  record Known(FileAttributes attributes, boolean isLengthOpen) {}

  /** A name that leads to nothing. */
  static final long ABSENT = 0;
  /** Not cached. */
  static final long UNKNOWN = -1;
  /** Flag of RENAME: exchanges two names, and replaces nothing. */
  private static final long EXCHANGE = 2;
  /** How long the kernel may use its entries at most. A name that cannot be invalidated in time is outdated for no longer than that. */
  private static final long KERNEL_NS = 1_000_000_000L;

  private final LongSupplier remainingNs;
  private final int max;
  private final Map<Long, Known> inodes = new HashMap<>();
  private final Map<Long, Map<Name, Long>> directories = new HashMap<>();
  /** Directories that were created here: all their names are known. */
  private final Set<Long> whole = new HashSet<>();
  private final Map<Long, SoleWriter> writers = new HashMap<>();
  private final Map<Long, Collection<Name>> gone = new HashMap<>();
  private boolean keepsGone;
  private int names;

  /** @param remainingNs how much longer this mount may use its cache; any thread */
  MetadataCache(LongSupplier remainingNs, int max) {
    this.remainingNs = remainingNs;
    this.max = max;
  }

  // Lookups.

  /** Returns null if the manager must be asked. */
  synchronized Known inode(long inode) {
    return isValid() ? inodes.get(inode) : null;
  }

  /** Returns the inode of a name, {@link #ABSENT} or {@link #UNKNOWN}. */
  synchronized long name(long parent, byte[] name) {
    if (!isValid()) {
      return UNKNOWN;
    }
    return directories.getOrDefault(parent, Map.of()).getOrDefault(new Name(name), whole.contains(parent) ? ABSENT : UNKNOWN);
  }

  /** A write has failed: the daemons are asked for the length until the file is opened anew. */
  synchronized void dropWriter(long inode) {
    writers.remove(inode);
  }

  /** Returns the length of a file that only this mount writes; null if the daemons must be asked. */
  synchronized SoleWriter writer(long inode) {
    return isValid() ? writers.get(inode) : null;
  }

  private boolean isValid() {
    return remainingNs.getAsLong() > 0;
  }

  /** Returns how long the kernel may cache an inode's attributes. */
  synchronized long validNs(long inode) {
    Known known = inode(inode);
    return known == null || known.isLengthOpen() && writer(inode) == null ? 0 : kernelNs();
  }

  /** Returns how long the kernel may cache a name. */
  synchronized long nameValidNs(long parent, byte[] name) {
    boolean isKept = directories.getOrDefault(parent, Map.of()).containsKey(new Name(name)); // Only names in this cache can be invalidated in the kernel.
    return isKept && isValid() ? kernelNs() : 0;
  }

  private long kernelNs() {
    return Math.clamp(remainingNs.getAsLong(), 0, KERNEL_NS);
  }

  /** From now on keeps the names of changed directories for {@link #takeGone}, to invalidate them in the kernel. */
  synchronized void keepGone() {
    keepsGone = true;
  }

  /** Returns the names of a changed directory that the kernel may have cached; null if there are none. */
  synchronized Collection<Name> takeGone(long directory) {
    return gone.remove(directory);
  }

  // Updates; on the client's thread.

  /** Takes an answer of the manager. */
  synchronized void learn(MetaRequest request, MetaReply reply) {
    MetaOp op = request.op();
    boolean isAbsent = op == MetaOp.LOOKUP && reply.errno() == Errno.ENOENT;
    if (reply.errno() != Errno.OK && !isAbsent) {
      return;
    }
    if (op == MetaOp.READDIR) {
      learnPage(request.inode(), reply);
      return;
    }
    if (op != MetaOp.READLINK && op != MetaOp.GETXATTR && op != MetaOp.LISTXATTR) {
      forget(reply.changed(), (reply.number() & MetaReply.PARENT_LEASED) != 0);
    }
    forgetRemoved(request);
    FileAttributes attributes = reply.attributes();
    if (attributes != null) {
      put(attributes, (reply.number() & MetaReply.LEASED) != 0, (reply.number() & MetaReply.LENGTH_OPEN) != 0);
    }
    learnName(request, reply, isAbsent);
    if (op == MetaOp.MKDIR && (reply.number() & MetaReply.LEASED) != 0 && isValid()) {
      if (whole.size() >= max) {
        clear();
      }
      whole.add(attributes.inode());
    }
    learnWriter(request, reply);
  }

  private void forget(MetaReply.Changed changed, boolean isDirectoryLeased) {
    for (long inode : changed.inodes()) {
      inodes.remove(inode);
    }
    if (changed.directory() != null) {
      put(changed.directory(), isDirectoryLeased, false);
    }
  }

  /** Forgets a removed directory, if its name was cached. */
  private void forgetRemoved(MetaRequest request) {
    boolean replaces = request.op() == MetaOp.RENAME && (MetaArguments.Rename.of(request).flags() & EXCHANGE) == 0;
    if (request.op() == MetaOp.RMDIR || replaces) {
      long parent = replaces ? request.other() : request.inode();
      byte[] name = replaces ? request.value() : request.name();
      Long removed = directories.getOrDefault(parent, Map.of()).get(new Name(name));
      if (removed != null) {
        forgetDirectory(removed);
      }
    }
  }

  /** Returns the names that were cached; null for none. */
  private Map<Name, Long> forgetDirectory(long directory) {
    whole.remove(directory);
    Map<Name, Long> of = directories.remove(directory);
    names -= of == null ? 0 : of.size();
    return of;
  }

  private void put(FileAttributes attributes, boolean isLeased, boolean isLengthOpen) {
    if (isLeased && isValid()) {
      if (inodes.size() >= max) {
        clear();
      }
      inodes.put(attributes.inode(), new Known(attributes, isLengthOpen));
    } else {
      inodes.remove(attributes.inode());
    }
  }

  private void learnName(MetaRequest request, MetaReply reply, boolean isAbsent) {
    boolean isLeased = (reply.number() & MetaReply.PARENT_LEASED) != 0;
    switch (request.op()) {
      case LOOKUP, CREATE, MKDIR, MKNOD, SYMLINK, LINK -> put(request.inode(), request.name(), isAbsent ? ABSENT : reply.attributes().inode(), isLeased);
      case UNLINK, RMDIR -> put(request.inode(), request.name(), ABSENT, isLeased);
      case RENAME -> {
        renamed(request.inode(), request.name());
        renamed(request.other(), request.value());
      }
      default -> { }
    }
  }

  /** Forgets where a name leads, but keeps the name: the kernel has renamed its own entry, which must be invalidated when others change the directory. */
  private void renamed(long parent, byte[] name) {
    put(parent, name, ABSENT, false);
    put(parent, name, UNKNOWN, true);
  }

  private void put(long parent, byte[] name, long inode, boolean isLeased) {
    Map<Name, Long> of = directories.get(parent);
    if (isLeased && inode == ABSENT && whole.contains(parent)) { // All other names are absent.
      names -= of != null && of.remove(new Name(name)) != null ? 1 : 0;
    } else if (isLeased && isValid()) {
      if (names >= max) {
        clear();
        of = null;
      }
      if (of == null) {
        of = directories.computeIfAbsent(parent, _ -> new HashMap<>());
      }
      names += of.put(new Name(name), inode) == null ? 1 : 0;
    } else {
      whole.remove(parent);
      names -= of != null && of.remove(new Name(name)) != null ? 1 : 0;
    }
  }

  private void learnPage(long directory, MetaReply reply) {
    boolean isLeased = (reply.number() & MetaReply.LEASED) != 0;
    for (DirectoryPage.Entry entry : DirectoryPage.decode(reply.value())) {
      put(entry.attributes(), isLeased, entry.isLengthOpen());
      put(directory, entry.name(), entry.attributes().inode(), (reply.number() & MetaReply.PARENT_LEASED) != 0);
    }
  }

  private void learnWriter(MetaRequest request, MetaReply reply) {
    boolean isSole = (reply.number() & MetaReply.SOLE) != 0 && (reply.number() & MetaReply.LEASED) != 0;
    switch (request.op()) {
      case OPEN, CREATE -> {
        if (isSole && isValid() && reply.attributes().isRegular()) {
          writers.put(reply.attributes().inode(), new SoleWriter(reply.attributes().bytes()));
        }
      }
      case SETATTR -> {
        SoleWriter writer = writers.get(request.inode());
        if (writer != null && request.cuts()) {
          writer.cut(MetaArguments.Setattr.of(request).bytes());
        }
      }
      case CLOSE -> {
        if (MetaArguments.Close.of(request).isLast()) {
          writers.remove(request.inode());
        }
      }
      default -> { }
    }
  }

  private void clear() {
    inodes.clear();
    directories.clear();
    whole.clear();
    names = 0;
  }

  @Override
  public synchronized void onEvent(MetaEvent event) {
    switch (event.kind()) {
      case CHANGED -> {
        inodes.remove(event.subject());
        writers.remove(event.subject());
        Map<Name, Long> of = forgetDirectory(event.subject());
        if (of != null && keepsGone) {
          gone.put(event.subject(), of.keySet());
        }
      }
      case ALL_CHANGED -> onLapsed();
      case LOCKED, WANTED -> { }
    }
  }

  @Override
  public synchronized void onLapsed() {
    clear();
    writers.clear();
  }

  @Override
  public void onLost() {
    onLapsed();
  }

  synchronized int count() {
    return inodes.size();
  }
}
