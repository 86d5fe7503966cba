package dev.weft.pvfs.manager;

import dev.weft.pvfs.store.Batch;
import dev.weft.pvfs.store.MetadataStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Looks through the metadata of a store that no manager uses, and repairs it. What repair cannot find a place for gets a name in {@code /lost+found}; data
 * are never removed because of a doubt. Repairing what is in order changes nothing.
 */
public final class Fsck {
  /** Each look mends one kind of finding; some lead to others. */
  private static final int ROUNDS_MAX = 4 * Finding.Kind.values().length;

  private Fsck() {}

  /**
   * What is wrong, in the order in which it is mended; nothing in a sound store.
   *
   * @throws dev.weft.pvfs.store.StoreException if it cannot be read, or was written by a newer manager
   */
  public static List<Finding> check(MetadataStore store) {
    if (store.scan(new byte[0], new byte[0], 1).isEmpty()) {
      return List.of(); // Nobody has made a file system in it yet.
    }
    Image image = new Image(store);
    List<Finding> findings = new ArrayList<>();
    new RecordChecks(image, findings).run();
    new TreeChecks(image, findings).run();
    findings.sort(Comparator.comparing(Finding::kind));
    return findings;
  }

  /**
   * Mends all.
   *
   * @return what was mended
   * @throws IllegalStateException if something is left; what was mended stays so
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
