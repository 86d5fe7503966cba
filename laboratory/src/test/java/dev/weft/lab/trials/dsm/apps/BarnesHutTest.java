package dev.weft.lab.trials.dsm.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BarnesHutTest {
  private static final Application BARNES = Applications.byName("barnes");

  @Test
  void shouldComputeTheSameBitsWithAnyNumberOfWorkers() {
    Runs.assertSameWithAnyNumberOfThreads(BARNES, "small");
  }

  @Test
  void shouldComputeTheSameWithManyWorkersOfFewBodies() {
    BarnesHut tiny = new BarnesHut();
    tiny.size("tiny", new BodyWork.Size(37, 2, 4));
    Outcome sequential = LocalRun.sequential(tiny, "tiny");
    assertTrue(LocalRun.threads(tiny, "tiny", 13).against(sequential).passed());
  }

  @Test
  void shouldComputeThePublishedSize() {
    Outcome sequential = Runs.assertVerified(LocalRun.sequential(BARNES, "published"));
    assertTrue(Runs.assertVerified(LocalRun.threads(BARNES, "published", 3)).against(sequential).passed());
  }

  @Test
  void shouldHoldAllMassInTheFirstCellOfATree() {
    Bodies bodies = Bodies.plummer(100);
    int[] ids = new int[100];
    for (int i = 0; i < 100; i++) {
      ids[i] = i;
    }
    BodyTree tree = new BodyTree(bodies.positions());
    int root = tree.build(ids, 0, 100, new double[3], 16);
    assertEquals(0, root);
    assertEquals(1, tree.cells()[BodyTree.MASS], 1e-12);
    assertEquals(0, tree.cells()[BodyTree.CENTRE], 1e-12);
    assertEquals(tree.count(), (int) tree.cells()[BodyTree.NEXT]);
  }

  @Test
  void shouldSayThatTwoBodiesAreInOnePlace() {
    BodyTree tree = new BodyTree(new double[] {1, 1, 1, 1, 1, 1});
    String message = assertThrows(IllegalStateException.class, () -> tree.build(new int[] {0, 1}, 0, 2, new double[3], 2)).getMessage();
    assertEquals("bodies 0 and 1 are in one place", message);
  }

  @Test
  void shouldFindResultsThatAreNotRight() {
    Runs.assertFound("energy", BARNES, "small", space -> array(space, "velocities").getAndAdd(5, 10));
    Runs.assertFound("momentum", BARNES, "small", space -> array(space, "velocities").getAndAdd(5, 20));
    Runs.assertFound("acceleration", BARNES, "small", space -> {
      for (int i = 0; i < 3 * 1024; i += 48) {
        array(space, "accelerations").getAndAdd(i, 0.1);
      }
    });
  }

  @Test
  void shouldFindThatABodyWasElsewhereAtFirst() {
    Runs.assertFoundOfInput("energy", BARNES, "small", space -> {
      for (int i = 0; i < 10; i++) {
        array(space, "positions").getAndAdd(3 * (512 + i), 5);
      }
    });
  }

  private static SharedDoubles array(SharedSpace space, String name) {
    return space.doubles("barnes." + name, 3 * 1024, SharingUnit.elements(3 * 16));
  }
}
