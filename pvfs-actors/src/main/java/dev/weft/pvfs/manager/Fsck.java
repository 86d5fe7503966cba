package dev.weft.pvfs.manager;

import dev.weft.pvfs.store.Batch;
import dev.weft.pvfs.store.MetadataStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Checks and repairs the metadata of a store that no manager uses. Inodes that have no place get a name in {@code /lost+found}; a repair never
 * removes data on suspicion. Repairing sound metadata changes nothing.
 */
public final class Fsck {
  /** Each round repairs one kind of error; some repairs reveal others. */
  private static final int ROUNDS_MAX = 4 * Finding.Kind.values().length;

  private Fsck() {}

  /**
   * Returns the errors in the order of repair; none in a sound store.
   *
   * @throws dev.weft.pvfs.store.StoreException if the store cannot be read or was written by a newer manager
   */
  public static List<Finding> check(MetadataStore store) {
    if (store.scan(new byte[0], new byte[0], 1).isEmpty()) {
      return List.of(); // It contains no file system yet.
    }
    Image image = new Image(store);
    List<Finding> findings = new ArrayList<>();
    new RecordChecks(image, findings).run();
    new TreeChecks(image, findings).run();
    findings.sort(Comparator.comparing(Finding::kind));
    return findings;
  }

  /**
   * Repairs all errors.
   *
   * @return the repaired errors
   * @throws IllegalStateException if an error remains; repairs made so far stay
   */
  public static List<Finding> repair(MetadataStore store) {
    List<Finding> mended = new ArrayList<>();
    for (int round = 0; round < ROUNDS_MAX; round++) {
      List<Finding> findings = check(store);
      if (findings.isEmpty()) {
        return mended;
      }
      Finding.Kind kind = findings.getFirst().kind();
      Batch batch = new Batch();
      for (Finding finding : findings) {
        if (finding.kind() == kind) {
          finding.fix().apply(batch);
          mended.add(finding);
        }
      }
      store.commit(batch, true);
    }
    throw new IllegalStateException("metadata are still not sound after " + ROUNDS_MAX + " rounds of repair; left: " + check(store));
  }
}
