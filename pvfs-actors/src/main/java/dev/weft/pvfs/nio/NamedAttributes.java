package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.FileMetadata;
import dev.weft.pvfs.layout.StripingWish;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Attributes by name: {@code view:name,name} or {@code view:*}. */
final class NamedAttributes {
  private NamedAttributes() {}

  private static String viewOf(String attribute) {
    int colon = attribute.indexOf(':');
    String view = colon < 0 ? "basic" : attribute.substring(0, colon);
    if (!PvfsFileStore.VIEW_NAMES.contains(view)) {
      throw new UnsupportedOperationException("view '" + view + "' is not available; there are " + PvfsFileStore.VIEW_NAMES.stream().sorted().toList());
    }
    return view;
  }

  private static String nameOf(String attribute) {
    return attribute.substring(attribute.indexOf(':') + 1);
  }

  static Map<String, Object> read(PvfsPath path, String attributes, boolean follows) throws IOException {
    String view = viewOf(attributes);
    List<String> names = List.of(nameOf(attributes).split(",", -1));
    if (names.stream().anyMatch(String::isEmpty)) {
      throw new IllegalArgumentException("'" + attributes + "' names no attributes, must be VIEW:NAME,NAME or VIEW:*");
    }
    if (view.equals(UserView.NAME)) {
      return readUser(new UserView(path, follows), names);
    }
    Map<String, Object> all = all(view, new AttributeView(view, path, follows).readAttributes());
    if (names.contains("*")) {
      return all;
    }
    Map<String, Object> some = new LinkedHashMap<>();
    for (String name : names) {
      if (!all.containsKey(name)) {
        throw new IllegalArgumentException("view '" + view + "' has no attribute '" + name + "'; it has " + all.keySet());
      }
      some.put(name, all.get(name));
    }
    return some;
  }

  private static Map<String, Object> readUser(UserView view, List<String> names) throws IOException {
    Map<String, Object> found = new LinkedHashMap<>();
    for (String name : names.contains("*") ? view.list() : names) {
      found.put(name, view.value(name));
    }
    return found;
  }

  private static Map<String, Object> all(String view, Attributes of) {
    Map<String, Object> all = new HashMap<>();
    if (view.equals("owner")) {
      all.put("owner", of.owner());
      return all;
    }
    all.put("size", of.size());
    all.put("creationTime", of.creationTime());
    all.put("lastAccessTime", of.lastAccessTime());
    all.put("lastModifiedTime", of.lastModifiedTime());
    all.put("isDirectory", of.isDirectory());
    all.put("isRegularFile", of.isRegularFile());
    all.put("isSymbolicLink", of.isSymbolicLink());
    all.put("isOther", of.isOther());
    all.put("fileKey", of.fileKey());
    if (!view.equals("basic")) {
      all.put("permissions", of.permissions());
      all.put("owner", of.owner());
      all.put("group", of.group());
    }
    if (view.equals("unix")) {
      addUnix(all, of);
    } else if (view.equals("pvfs")) {
      addStriping(all, of);
    }
    return all;
  }

  private static void addUnix(Map<String, Object> all, Attributes of) {
    all.put("mode", of.known().mode());
    all.put("ino", of.inode());
    all.put("dev", 0L);
    all.put("rdev", Integer.toUnsignedLong(of.known().device()));
    all.put("nlink", of.links());
    all.put("uid", of.known().uid());
    all.put("gid", of.known().gid());
    all.put("ctime", Attributes.time(of.known().ctimeNs()));
  }

  private static void addStriping(Map<String, Object> all, Attributes of) {
    boolean has = of.striping() != null;
    all.put("base", has ? of.striping().base() : StripingWish.ANY);
    all.put("count", has ? of.striping().count() : StripingWish.ANY);
    all.put("stripeSize", has ? of.striping().stripeBytes() : StripingWish.ANY);
    all.put("daemons", has ? of.striping().daemons() : StripingWish.ANY);
  }

  static void set(PvfsPath path, String attribute, Object value, boolean follows) throws IOException {
    String view = viewOf(attribute);
    String name = nameOf(attribute);
    AttributeView to = new AttributeView(view, path, follows);
    if (view.equals(UserView.NAME)) {
      new UserView(path, follows).write(name, value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : (ByteBuffer) value);
      return;
    }
    if (!settable(view).contains(name)) {
      throw new IllegalArgumentException("view '" + view + "' has no attribute '" + name + "' that can be set; there are " + settable(view));
    }
    switch (name) {
      case "lastModifiedTime" -> to.setTimes((FileTime) value, null, null);
      case "lastAccessTime" -> to.setTimes(null, (FileTime) value, null);
      case "creationTime" -> to.setTimes(null, null, (FileTime) value);
      case "permissions" -> to.setPermissions(NewFile.permissions(value));
      case "owner" -> to.setOwner((UserPrincipal) value);
      case "group" -> to.setGroup((GroupPrincipal) value);
      case "mode" -> to.setMode((Integer) value);
      case "uid" -> to.setOwner((Integer) value, FileMetadata.KEEP);
      case "gid" -> to.setOwner(FileMetadata.KEEP, (Integer) value);
      default -> to.setDefaultStriping(wish(to, name, (Integer) value));
    }
  }

  private static List<String> settable(String view) {
    List<String> names = new ArrayList<>();
    if (!view.equals("owner")) {
      names.addAll(List.of("lastModifiedTime", "lastAccessTime", "creationTime"));
    }
    if (!view.equals("basic")) {
      names.add("owner");
    }
    if (!view.equals("basic") && !view.equals("owner")) {
      names.addAll(List.of("permissions", "group"));
    }
    names.addAll(view.equals("unix") ? List.of("mode", "uid", "gid") : view.equals("pvfs") ? List.of("base", "count", "stripeSize") : List.of());
    return names;
  }

  private static StripingWish wish(AttributeView of, String name, int value) throws IOException {
    Attributes now = of.readAttributes();
    StripingWish had = now.striping() == null ? StripingWish.NONE
        : new StripingWish(now.striping().base(), now.striping().count(), now.striping().stripeBytes());
    return switch (name) {
      case "base" -> new StripingWish(value, had.count(), had.stripeBytes());
      case "count" -> new StripingWish(had.base(), value, had.stripeBytes());
      default -> new StripingWish(had.base(), had.count(), value);
    };
  }
}
