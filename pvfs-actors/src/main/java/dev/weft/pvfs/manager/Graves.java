package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.MetaArguments;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Recently removed inodes. A program may still hold a directory, a fifo, a symbolic link or an O_PATH descriptor, which the manager does not know. As
 * on a local file system, it can read and change the attributes and list it. Data and extended attributes are gone. In memory: beyond {@link #MAX}
 * the oldest go first. Regular files, which are removed in large numbers, are counted apart from others. One thread.
 */
final class Graves {
  static final int MAX = 8_192;
  /** Maximum bytes of names and values of extended attributes that an inode may get after its removal. */
  static final int XATTR_BYTES_MAX = 4_096;

  private static final class Bounded extends LinkedHashMap<Long, Grave> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, Grave> eldest) {
      return size() > MAX;
    }
  }

  private static final class Grave {
    private Inode inode;
    private final byte[] target;
    private final Map<String, byte[]> xattrs = new TreeMap<>();

    private Grave(RemovedInode removed) {
      inode = removed.inode();
      target = removed.target();
    }

    private byte[] target() {
      Refusal.unless(target != null, Errno.EINVAL);
      return target;
    }

    private byte[] xattr(String name) {
      byte[] value = xattrs.get(name);
      Refusal.unless(value != null, Errno.ENODATA);
      return value;
    }

    private void set(String name, byte[] value, int flags) {
      Refusal.unless(flags != Xattrs.CREATE || !xattrs.containsKey(name), Errno.EEXIST);
      Refusal.unless(flags != Xattrs.REPLACE || xattrs.containsKey(name), Errno.ENODATA);
      int bytes = 0;
      for (Map.Entry<String, byte[]> each : xattrs.entrySet()) {
        bytes += each.getKey().equals(name) ? 0 : each.getKey().length() + each.getValue().length;
      }
      Refusal.unless(bytes + name.length() + value.length <= XATTR_BYTES_MAX, Errno.ENOSPC);
      xattrs.put(name, value);
    }

    private byte[] names() {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      xattrs.keySet().forEach(name -> all.writeBytes((name + '\0').getBytes(StandardCharsets.ISO_8859_1)));
      return all.toByteArray();
    }
  }

  private final Map<Long, Grave> files = new Bounded();
  private final Map<Long, Grave> others = new Bounded();

  void bury(List<RemovedInode> removed) {
    removed.forEach(one -> (one.inode().isRegular() ? files : others).put(one.inode().number(), new Grave(one)));
  }

  /**
   * Answers a request for an inode that does not exist: ESTALE if it was not removed recently, or if the request needs its data.
   *
   * @param attributes makes an answer from an inode
   */
  MetaReply answer(MetaRequest request, long nowNs, Function<Inode, MetaReply> attributes) {
    Grave grave = others.getOrDefault(request.inode(), files.get(request.inode()));
    try {
      Refusal.unless(grave != null, Errno.ESTALE);
      return switch (request.op()) {
        case GETATTR -> attributes.apply(grave.inode);
        case SETATTR -> attributes.apply(changed(grave, request, nowNs));
        case READLINK -> MetaReply.of(request.id(), 0, grave.target());
        case READDIR -> MetaReply.ok(request.id());
        case GETXATTR -> LongValues.part(request.id(), MetaArguments.Getxattr.of(request).from(), Result.ok(grave.xattr(name(request))));
        case LISTXATTR -> LongValues.part(request.id(), MetaArguments.Listxattr.of(request).from(), Result.ok(grave.names()));
        case SETXATTR, REMOVEXATTR -> changedXattr(grave, request);
        case LOOKUP, CREATE, MKDIR, MKNOD, SYMLINK, LINK, UNLINK, RMDIR, RENAME -> MetaReply.failed(request.id(), Errno.ENOENT);
        default -> MetaReply.failed(request.id(), Errno.ESTALE);
      };
    } catch (Refusal refusal) {
      return MetaReply.failed(request.id(), refusal.errno());
    }
  }

  private static Inode changed(Grave grave, MetaRequest request, long nowNs) {
    AttributeChange change = AttributeChange.of(MetaArguments.Setattr.of(request));
    Refusal.unless(!change.has(AttributeChange.SIZE), Errno.ESTALE);
    grave.inode = Attributes.changed(request.caller(), grave.inode, change, false, nowNs).inode();
    return grave.inode;
  }

  private static MetaReply changedXattr(Grave grave, MetaRequest request) {
    Xattrs.checkWrite(request.caller(), grave.inode, request.name());
    switch (request.op()) {
      case SETXATTR -> grave.set(name(request), request.value(), MetaArguments.Setxattr.of(request).flags());
      default -> {
        grave.xattr(name(request));
        grave.xattrs.remove(name(request));
      }
    }
    return MetaReply.ok(request.id());
  }

  private static String name(MetaRequest request) {
    return new String(request.name(), StandardCharsets.ISO_8859_1);
  }
}
