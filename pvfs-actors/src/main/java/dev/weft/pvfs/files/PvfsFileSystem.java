package dev.weft.pvfs.files;

import com.typesafe.config.Config;
import dev.weft.hca.link.Transport;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Interrupts;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.ClientSettings;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A connection to a file system: the manager serves names, the daemons serve data. Any thread. Paths have {@code /} between names and begin at the
 * root, with or without a leading slash.
 */
public final class PvfsFileSystem implements AutoCloseable {
  /** The service name at which the manager listens. */
  public static final String MANAGER_SERVICE = "pvfs-manager";
  /** The manager's node in {@code weft up}. */
  public static final String MANAGER_NODE = "pvfs-manager";
  static final long ROOT = 1;
  private static final int LINKS_MAX = 40;
  private static final int PAGE_BYTES = MetaReply.VALUE_BYTES_MAX;
  private static final Set<OpenOption> KNOWN = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE,
      StandardOpenOption.CREATE_NEW, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.APPEND, StandardOpenOption.SPARSE,
      LinkOption.NOFOLLOW_LINKS);

  private final MetaClient meta;
  private final DataClient data;
  private final Caller caller;
  private final List<DaemonAddress> daemons;
  private final Fabric fabric;
  private final Node node;
  private final Engine engine;

  private PvfsFileSystem(Fabric fabric, Node node, MetaClient meta, DataClient data, Caller caller, List<DaemonAddress> daemons) {
    this.fabric = fabric;
    this.node = node;
    this.meta = meta;
    this.data = data;
    this.caller = caller;
    this.daemons = daemons;
    this.engine = new Engine(meta, data, caller, new Staging(node), new Appends(meta, data));
  }

  /** As {@link #connect(Fabric, Node, String, String, Caller, Config)}, as root, with the fabric's settings. */
  public static PvfsFileSystem connect(Fabric fabric, Node node, String managerNode) throws PvfsException {
    return connect(fabric, node, "native", managerNode, Caller.ROOT, fabric.config());
  }

  /**
   * Connects a node to a file system and waits until its manager has answered.
   *
   * @param name unique among the clients of the node
   * @param managerNode the node of the manager
   * @param caller the user on whose behalf the client acts
   * @throws PvfsException ETIMEDOUT after {@code weft.pvfs.client.patience}; the message has the reason that the manager's node gave
   */
  public static PvfsFileSystem connect(Fabric fabric, Node node, String name, String managerNode, Caller caller, Config config) throws PvfsException {
    return connect(fabric, node, name, managerNode, caller, config, null);
  }

  /**
   * Connects over another transport than the fabric.
   *
   * @param fabric gives the client threads and a clock; the manager and the daemons need not belong to it
   * @param transport reaches the manager and the daemons; its owner closes it afterwards; null for the fabric
   */
  public static PvfsFileSystem connect(Fabric fabric, Node node, String name, String managerNode, Caller caller, Config config, Transport transport)
      throws PvfsException {
    MetaClient meta = MetaClient.start(fabric, node, name, new DaemonAddress(managerNode, MANAGER_SERVICE), config, transport);
    try {
      MetaReply hello = meta.ask(MetaRequest.of(MetaOp.HELLO, caller, ROOT));
      if (hello.errno() != Errno.OK) {
        throw new PvfsException(hello.errno(), "the manager of node " + managerNode + " does not answer (" + meta.why() + ")");
      }
      List<DaemonAddress> daemons = daemons(hello.value());
      DataClient data = DataClient.start(fabric, node, name, daemons, ClientSettings.from(config), meta.grants(), transport);
      return new PvfsFileSystem(fabric, node, meta, data, caller, daemons);
    } catch (PvfsException | RuntimeException | Error failed) {
      meta.close();
      throw failed;
    }
  }

  private static List<DaemonAddress> daemons(byte[] lines) {
    return new String(lines, StandardCharsets.UTF_8).lines().map(line -> line.split(" ")).map(words -> new DaemonAddress(words[0], words[1])).toList();
  }

  /** Returns the I/O daemons, in the order in which {@link dev.weft.pvfs.layout.Striping} numbers them. */
  public List<DaemonAddress> daemons() {
    return daemons;
  }

  // Files.

  /**
   * Opens a file.
   *
   * @param options READ, WRITE, APPEND, CREATE, CREATE_NEW, TRUNCATE_EXISTING, SPARSE, NOFOLLOW_LINKS; none means READ. With APPEND every write goes
   *     to the end, whatever its offset
   * @throws PvfsException ENOENT, EEXIST, EACCES, EISDIR and so on
   */
  public PvfsFile open(String path, OpenOption... options) throws PvfsException {
    return open(path, StripingWish.NONE, 0644, options);
  }

  /** Opens a file; if this creates it, it gets these permissions and this striping. */
  public PvfsFile open(String path, StripingWish wish, int mode, OpenOption... options) throws PvfsException {
    Set<OpenOption> all = Set.of(options);
    for (OpenOption option : all) {
      if (!KNOWN.contains(option)) {
        throw new UnsupportedOperationException(option + " of " + path
            + "; there are READ, WRITE, APPEND, CREATE, CREATE_NEW, TRUNCATE_EXISTING, SPARSE and NOFOLLOW_LINKS");
      }
    }
    requireMode(mode);
    boolean isAppended = all.contains(StandardOpenOption.APPEND);
    boolean mayWrite = all.contains(StandardOpenOption.WRITE) || isAppended;
    boolean mayRead = all.contains(StandardOpenOption.READ) || !mayWrite;
    boolean mustBeNew = all.contains(StandardOpenOption.CREATE_NEW);
    int access = (mayRead ? 1 : 0) | (mayWrite ? 2 : 0);
    boolean follows = !all.contains(LinkOption.NOFOLLOW_LINKS);
    FileAttributes attributes = mayWrite && (mustBeNew || all.contains(StandardOpenOption.CREATE)) ? create(path, mode, mustBeNew, follows, wish, access)
        : engine.ask(MetaRequest.of(MetaOp.OPEN, caller, attributes(path, follows).inode(), access), "open " + path).attributes();
    if (!attributes.isRegular()) {
      Interrupts.putAside(() -> meta.ask(MetaRequest.of(MetaOp.CLOSE, caller, attributes.inode(), -1, mayWrite ? 1 : 0)));
      throw new PvfsException(attributes.isDirectory() ? Errno.EISDIR : Errno.EINVAL, "open " + path);
    }
    PvfsFile file = new PvfsFile(path, attributes, engine, daemons, mayRead, mayWrite, isAppended);
    if (mayWrite && all.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
      try {
        file.truncate(0);
      } catch (PvfsException | RuntimeException failed) {
        file.close();
        throw failed;
      }
    }
    return file;
  }

  /** Creates a file. A symbolic link at its place is followed even if its target is missing: then the file is made there. */
  private FileAttributes create(String path, int mode, boolean mustBeNew, boolean follows, StripingWish wish, int access) throws PvfsException {
    checkStriping(wish, "create " + path);
    String at = path;
    for (int links = 0;; links++) {
      if (isDirectoryByName(at)) {
        attributes(at); // Throws if it is missing.
        throw new PvfsException(mustBeNew ? Errno.EEXIST : Errno.EISDIR, "create " + path);
      }
      MetaReply reply = meta.ask(MetaRequest.of(MetaOp.CREATE, caller, parentOf(at), mode, mustBeNew ? 1 : 0, wish.base(), wish.count(),
          wish.stripeBytes(), access).named(nameOf(at)));
      boolean isLink = reply.errno() == Errno.ELOOP && follows && !mustBeNew && links < LINKS_MAX;
      if (!isLink) {
        return checked(reply, "create " + path).attributes();
      }
      String target = readSymlink(at);
      at = target.startsWith("/") ? target : trimmed(at).substring(0, trimmed(at).lastIndexOf('/') + 1) + target;
    }
  }

  /** The manager's attributes of a file. A symbolic link at the end is followed. */
  public FileAttributes attributes(String path) throws PvfsException {
    return attributes(path, true);
  }

  /** The manager's attributes of a file, or of the symbolic link itself if the last link is not followed. */
  public FileAttributes attributes(String path, boolean followLast) throws PvfsException {
    return engine.ask(MetaRequest.of(MetaOp.WALK, caller, ROOT, followLast ? 1 : 0).named(encoded(path)), path).attributes();
  }

  /**
   * Attributes of a file, with its length.
   *
   * @param attributes while the file may be open for writing, with the time of the last write as the daemons have it
   * @param bytes the length: as the daemons have it while the file may be open for writing, otherwise as the manager has it
   */
  public record Stat(FileAttributes attributes, long bytes) {}

  /** As {@link #attributes(String, boolean)}, with the length. */
  public Stat stat(String path, boolean followLast) throws PvfsException {
    MetaReply found = engine.ask(MetaRequest.of(MetaOp.WALK, caller, ROOT, followLast ? 1 : 0).named(encoded(path)), path);
    FileAttributes attributes = found.attributes();
    if (!attributes.isRegular() || (found.number() & MetaReply.LENGTH_OPEN) == 0) {
      return new Stat(attributes, attributes.bytes());
    }
    IoTask stat = askDaemons(path, attributes);
    return new Stat(attributes.written(stat.wroteNs(), stat.askedNs()), stat.fileBytes());
  }

  /** Returns the target of a symbolic link. */
  public String readSymlink(String path) throws PvfsException {
    return PathNames.decode(engine.ask(MetaRequest.of(MetaOp.READLINK, caller, attributes(path, false).inode()), "readlink " + path).value());
  }

  /** Returns the length: of a regular file as the daemons have it now, of others as the manager has it. */
  public long size(String path) throws PvfsException {
    FileAttributes attributes = attributes(path);
    if (!attributes.isRegular()) {
      return attributes.bytes();
    }
    return askDaemons(path, attributes).fileBytes();
  }

  private IoTask askDaemons(String path, FileAttributes attributes) throws PvfsException {
    IoTask stat = data.stat(attributes.inode(), attributes.striping());
    if (stat.errno() != Errno.OK) {
      throw new PvfsException(stat.errno(), "size of " + path);
    }
    return stat;
  }

  /** Removes a file, or anything else but a directory. The data is freed when no client has the file open any more. */
  public void unlink(String path) throws PvfsException {
    requireNotRoot(path, Errno.EISDIR, "unlink " + path);
    checked(meta.ask(MetaRequest.of(MetaOp.UNLINK, caller, parentOf(path)).named(nameOf(path))), "unlink " + path);
  }

  /** Renames a file; replaces a file that has the new name. */
  public void rename(String from, String to) throws PvfsException {
    rename(from, to, true);
  }

  /** Renames a file; EEXIST if the new name exists and may not be replaced. */
  public void rename(String from, String to, boolean mayReplace) throws PvfsException {
    String what = "rename " + from + " to " + to;
    requireNotRoot(from, Errno.EBUSY, what);
    requireNotRoot(to, Errno.EBUSY, what);
    checked(meta.ask(MetaRequest.of(MetaOp.RENAME, caller, parentOf(from), mayReplace ? 0 : 1).withOther(parentOf(to)).named(nameOf(from))
        .withValue(nameOf(to))), what);
  }

  /** Makes a hard link. If {@code existing} ends in a symbolic link, that is followed. */
  public void link(String existing, String path) throws PvfsException {
    link(existing, path, true);
  }

  /** Makes a hard link; without {@code followLast}, to the symbolic link itself. */
  public void link(String existing, String path, boolean followLast) throws PvfsException {
    requireNotRoot(path, Errno.EEXIST, "link " + path + " to " + existing);
    checked(meta.ask(MetaRequest.of(MetaOp.LINK, caller, parentOf(path)).withOther(attributes(existing, followLast).inode()).named(nameOf(path))),
        "link " + path + " to " + existing);
  }

  /** Makes a symbolic link. */
  public void symlink(String target, String path) throws PvfsException {
    requireNotRoot(path, Errno.EEXIST, "symlink " + path);
    byte[] leads = encoded(target);
    if (leads.length > MetaRequest.PATH_BYTES_MAX) {
      throw new PvfsException(Errno.ENAMETOOLONG, "symlink " + path, "its target has " + leads.length + " bytes, may have " + MetaRequest.PATH_BYTES_MAX);
    }
    checked(meta.ask(MetaRequest.of(MetaOp.SYMLINK, caller, parentOf(path)).named(nameOf(path)).withValue(leads)), "symlink " + path);
  }

  // Directories.

  /** Makes a directory; its parent must exist. */
  public void mkdir(String path, int mode) throws PvfsException {
    requireMode(mode);
    requireNotRoot(path, Errno.EEXIST, "mkdir " + path);
    checked(meta.ask(MetaRequest.of(MetaOp.MKDIR, caller, parentOf(path), mode).named(nameOf(path))), "mkdir " + path);
  }

  /** Removes an empty directory. */
  public void rmdir(String path) throws PvfsException {
    requireNotRoot(path, Errno.EBUSY, "rmdir " + path);
    checked(meta.ask(MetaRequest.of(MetaOp.RMDIR, caller, parentOf(path)).named(nameOf(path))), "rmdir " + path);
  }

  static void requireMode(int mode) {
    if ((mode & ~07777) != 0) {
      throw new IllegalArgumentException("a mode of " + (mode < 0 ? String.valueOf(mode) : "0" + Integer.toOctalString(mode)) + ", must be from 0 to 07777");
    }
  }

  private void checkStriping(StripingWish wish, String what) throws PvfsException {
    try {
      wish.resolve(daemons.size(), 0);
    } catch (IllegalArgumentException wrong) {
      throw new PvfsException(Errno.EINVAL, what + ": " + wrong.getMessage());
    }
  }

  /** Sets the striping of files that are made in a directory from now on. */
  public void setStriping(String directory, StripingWish wish) throws PvfsException {
    checkStriping(wish, "striping of " + directory);
    checked(meta.ask(MetaRequest.of(MetaOp.SETSTRIPE, caller, attributes(directory).inode(), wish.base(), wish.count(), wish.stripeBytes())),
        "striping of " + directory);
  }

  /** Returns all entries of a directory, without "." and "..". */
  public List<DirectoryPage.Entry> list(String path) throws PvfsException {
    long inode = attributes(path).inode();
    List<DirectoryPage.Entry> all = new ArrayList<>();
    for (List<DirectoryPage.Entry> page = page(inode, 0); !page.isEmpty(); page = page(inode, page.getLast().cookie())) {
      page.stream().filter(entry -> !isDots(entry.name())).forEach(all::add);
    }
    return all;
  }

  /**
   * Returns some entries of a directory, with "." and "..".
   *
   * @param cookie that of the entry before the first one, 0 at the beginning
   * @return an empty list at the end
   */
  public List<DirectoryPage.Entry> page(long directory, long cookie) throws PvfsException {
    return DirectoryPage.decode(engine.ask(MetaRequest.of(MetaOp.READDIR, caller, directory, cookie, PAGE_BYTES), "list inode " + directory).value());
  }

  static boolean isDots(byte[] name) {
    return name[0] == '.' && (name.length == 1 || name.length == 2 && name[1] == '.');
  }

  // Names.

  /** Throws for the root directory: it has no name, so operations on names do not apply to it. */
  private static void requireNotRoot(String path, int errno, String what) throws PvfsException {
    if (isRoot(path)) {
      throw new PvfsException(errno, what);
    }
  }

  private long parentOf(String path) throws PvfsException {
    String trimmed = trimmed(path);
    int cut = trimmed.lastIndexOf('/');
    return cut <= 0 ? ROOT : attributes(trimmed.substring(0, cut)).inode();
  }

  static boolean isRoot(String path) {
    return path.startsWith("/") && trimmed(path).isEmpty();
  }

  /** Whether a path ends without a name of its own ("/", ".", ".."); it then leads to a directory. */
  static boolean isDirectoryByName(String path) {
    String trimmed = trimmed(path);
    String name = trimmed.substring(trimmed.lastIndexOf('/') + 1);
    return isRoot(path) || name.equals(".") || name.equals("..");
  }

  static byte[] nameOf(String path) throws PvfsException {
    String trimmed = trimmed(path);
    return encoded(trimmed.substring(trimmed.lastIndexOf('/') + 1));
  }

  static byte[] encoded(String path) throws PvfsException {
    try {
      return PathNames.encode(path);
    } catch (IllegalArgumentException wrong) {
      throw new PvfsException(Errno.EINVAL, wrong.getMessage());
    }
  }

  static String trimmed(String path) {
    int end = path.length();
    while (end > 0 && path.charAt(end - 1) == '/') {
      end--;
    }
    return path.substring(0, end);
  }

  private static MetaReply checked(MetaReply reply, String what) throws PvfsException {
    if (reply.errno() != Errno.OK) {
      throw new PvfsException(reply.errno(), what);
    }
    return reply;
  }

  // Other parts.

  /** Access to attributes, owners, times and extended attributes. */
  public FileMetadata metadata() {
    return new FileMetadata(this, engine);
  }

  /** Operations on names, and opening, without waiting. */
  public AsyncNames async() {
    return new AsyncNames(this, engine);
  }

  /**
   * Allocates memory that moves without a copy, also between processes of this host ({@link dev.weft.hca.verbs.Hca#allocMemory}). It is freed when
   * nothing refers to it.
   *
   * @param bytes more than 0
   */
  public MemorySegment allocate(long bytes) {
    return node.hca().allocMemory(Arena.ofAuto(), bytes);
  }

  /** The fabric of this client, for code that moves data by the fabric itself. */
  public Fabric fabric() {
    return fabric;
  }

  /** The node of this client; as {@link #fabric}. */
  public Node node() {
    return node;
  }

  /** Returns how many bytes were copied because their memory was on the heap. */
  public long copiedBytes() {
    return engine.staging().copiedBytes();
  }

  /** The user on whose behalf this client acts. */
  public Caller caller() {
    return caller;
  }

  PvfsFile opened(String path, FileAttributes attributes, boolean mayRead, boolean mayWrite) {
    return new PvfsFile(path, attributes, engine, daemons, mayRead, mayWrite, false);
  }

  /** The client of the manager: for parts of the service that talk to manager and daemons themselves. */
  public MetaClient meta() {
    return meta;
  }

  /** The client of the daemons; as {@link #meta}. */
  public DataClient data() {
    return data;
  }

  /** The appends of this client; as {@link #meta}. */
  public Appends appends() {
    return engine.appends();
  }

  @Override
  public void close() {
    try {
      data.close();
    } finally {
      meta.close();
    }
  }
}
