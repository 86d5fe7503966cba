package dev.weft.lab.kit;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Loads the classes of some packages once more, with calls of some methods replaced by methods of the {@code PlantedBugs} of the same
 * package as the caller. The classes of the main tree know nothing of it.
 */
public final class Mutant extends ClassLoader {
  /** In {@code method} of {@code target}, calls of {@code callee} become calls of {@code bug}. */
  private static final class Plant {
    final String target;
    final String method;
    final String callee;
    final String bug;
    int count;

    Plant(String[] words) {
      target = words[0].strip();
      method = words[1].strip();
      callee = words[2].strip();
      bug = words[3].strip();
    }
  }

  private final Class<? extends LongFunction<List<String>>> run;
  private final List<String> copied;
  private final List<Plant> plants = new ArrayList<>();

  /**
   * A copy with bugs.
   *
   * @param run the way into the copy, with a constructor without parameters: takes a seed, answers the violations; only types of the
   *     JDK pass between the two class loaders
   * @param copied packages to load once more, with a dot at the end; {@code run} is in one of them
   * @param plants as {@link PlantedBug#plants} has them
   */
  public Mutant(Class<? extends LongFunction<List<String>>> run, List<String> copied, String plants) {
    super(Mutant.class.getClassLoader());
    this.run = run;
    this.copied = copied;
    for (String plant : plants.split("\\+")) {
      this.plants.add(new Plant(plant.strip().split(" +")));
    }
  }

  /** The bug shows within its seeds, and is told. */
  public static void assertFound(Class<? extends LongFunction<List<String>>> run, List<String> copied, PlantedBug bug) {
    String found = new Mutant(run, copied, bug.plants()).find(bug.seedsMax());
    assertNotNull(found, "not found: " + bug);
    System.out.println("found: " + bug.what() + ": " + found);
  }

  /**
   * Runs seeds on the copy: takes a seed, answers the violations.
   *
   * @throws IllegalStateException if there is no such call any more
   */
  @SuppressWarnings("unchecked") // the copy of run is a LongFunction of a list of strings, too
  public LongFunction<List<String>> simulation() {
    try {
      for (Plant plant : plants) {
        loadClass(plant.target);
        if (plant.count == 0) {
          throw new IllegalStateException(
              plant.target + "." + plant.method + " does not call " + plant.callee + " any more: plant " + plant.bug + " elsewhere");
        }
      }
      var constructor = loadClass(run.getName()).getDeclaredConstructor();
      constructor.setAccessible(true);
      return (LongFunction<List<String>>) constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What the first seed from 1 to {@code seedsMax} that shows the bug has found, with that seed; null if none does. */
  public String find(int seedsMax) {
    LongFunction<List<String>> simulation = simulation();
    for (long seed = 1; seed <= seedsMax; seed++) {
      List<String> violations = violations(simulation, seed);
      if (!violations.isEmpty()) {
        return "seed " + seed + ": " + violations.getFirst();
      }
    }
    return null;
  }

  /** An actor of the changed copy that throws is a find too; the message names it and the seed. */
  private static List<String> violations(LongFunction<List<String>> simulation, long seed) {
    try {
      return simulation.apply(seed);
    } catch (IllegalStateException crashed) {
      return List.of(String.valueOf(crashed.getMessage()));
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known != null) {
        return known;
      }
      if (copied.stream().noneMatch(name::startsWith)) {
        return super.loadClass(name, resolve);
      }
      byte[] bytes = read(name);
      for (Plant plant : plants) {
        if (plant.target.equals(name)) {
          bytes = change(bytes, plant);
        }
      }
      return defineClass(name, bytes, 0, bytes.length);
    }
  }

  private byte[] read(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  /** The body of a lambda has a number at the end of its name, which is no matter. */
  private static boolean isMethod(String method, String name) {
    return method.endsWith("*") ? name.startsWith(method.substring(0, method.length() - 1)) : name.equals(method);
  }

  private static byte[] change(byte[] bytes, Plant plant) {
    ClassDesc bugs = ClassDesc.of(plant.target.substring(0, plant.target.lastIndexOf('.')) + ".PlantedBugs");
    CodeTransform replace = (code, element) -> {
      if (element instanceof InvokeInstruction call && call.name().equalsString(plant.callee)) {
        MethodTypeDesc type = call.typeSymbol();
        boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
        code.invokestatic(bugs, plant.bug, isStatic ? type : type.insertParameterTypes(0, call.owner().asSymbol()));
        plant.count++;
      } else {
        code.with(element);
      }
    };
    return ClassFile.of().transformClass(ClassFile.of().parse(bytes),
        ClassTransform.transformingMethodBodies(model -> isMethod(plant.method, model.methodName().stringValue()), replace));
  }
}
