package dev.weft.pvfs.nio;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.HashMap;
import java.util.Map;

/** Users and groups: numbers in the file system, with the names of this host's {@code /etc}. A number without a name there is its own name. */
final class Principals extends UserPrincipalLookupService {
  /** Maximum size of a file of names that is read. */
  private static final long FILE_BYTES_MAX = 4 << 20;

  /** A user. */
  record User(int id, String name) implements UserPrincipal {
    @Override
    public String getName() {
      return name;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** A group. */
  record Group(int id, String name) implements GroupPrincipal {
    @Override
    public String getName() {
      return name;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private final Map<Integer, String> users = new HashMap<>();
  private final Map<Integer, String> groups = new HashMap<>();

  private Principals() {}

  static Principals ofThisHost() {
    Principals all = new Principals();
    read(Path.of("/etc/passwd"), all.users);
    read(Path.of("/etc/group"), all.groups);
    return all;
  }

  private static void read(Path file, Map<Integer, String> to) {
    try {
      if (Files.size(file) > FILE_BYTES_MAX) {
        return;
      }
      for (String line : Files.readString(file, StandardCharsets.ISO_8859_1).lines().toList()) {
        String[] fields = line.split(":", -1);
        if (fields.length > 2 && fields[2].matches("\\d{1,9}")) {
          to.putIfAbsent(Integer.parseInt(fields[2]), fields[0]);
        }
      }
    } catch (IOException none) {
      to.clear(); // Then each number is its own name.
    }
  }

  User user(int id) {
    return new User(id, users.getOrDefault(id, Integer.toUnsignedString(id)));
  }

  Group group(int id) {
    return new Group(id, groups.getOrDefault(id, Integer.toUnsignedString(id)));
  }

  /**
   * Returns the number of a user.
   *
   * @throws ProviderMismatchException if the principal is of another provider
   * @throws IOException if the principal is a group
   */
  static int userId(UserPrincipal principal) throws IOException {
    if (principal instanceof Group group) {
      throw new IOException("the group " + group + " cannot be an owner; look a user up in its place");
    }
    return id(principal);
  }

  /** @throws ProviderMismatchException if the principal is of another provider */
  static int id(UserPrincipal principal) {
    return switch (principal) {
      case User user -> user.id();
      case Group group -> group.id();
      case null -> throw new NullPointerException("an owner");
      default -> throw new ProviderMismatchException(principal + " is of another provider, look it up in this file system");
    };
  }

  @Override
  public UserPrincipal lookupPrincipalByName(String name) throws IOException {
    return user(idOf(name, users));
  }

  @Override
  public GroupPrincipal lookupPrincipalByGroupName(String group) throws IOException {
    return group(idOf(group, groups));
  }

  private static int idOf(String name, Map<Integer, String> names) throws IOException {
    for (Map.Entry<Integer, String> each : names.entrySet()) {
      if (each.getValue().equals(name)) {
        return each.getKey();
      }
    }
    try {
      return Integer.parseUnsignedInt(name);
    } catch (NumberFormatException noNumber) {
      throw (IOException) new UserPrincipalNotFoundException(name).initCause(noNumber);
    }
  }
}
