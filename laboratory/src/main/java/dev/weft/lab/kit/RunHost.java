package dev.weft.lab.kit;

import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.node.Node;

/** A host of a run: a name and its present node, which a crash replaces. */
public class RunHost {
  public final int index;
  public final String name;
  public Node node;
  public boolean isDown;
  /** Increases when its node dies. */
  public int incarnation;
  /** Number of pauses, which may overlap. */
  public int pauses;

  protected RunHost(int index, String name) {
    this.index = index;
    this.name = name;
  }

  /** Path of the actors of its node. */
  public final String path() {
    return "/user/" + name;
  }

  /** All its actors stand still. */
  public void pause(VirtualSystem system) {
    pauses++;
    system.pause(path());
  }

  /** A pause ends. */
  public final void goOn(VirtualSystem system) {
    if (--pauses == 0) {
      system.resume(path());
    }
  }
}
