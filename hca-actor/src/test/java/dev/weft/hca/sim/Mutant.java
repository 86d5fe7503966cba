package dev.weft.hca.sim;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Loads the HCA's classes once more, with one call of one method replaced by a method of {@code PlantedBugs}. The classes of the main
 * tree know nothing of it.
 */
final class Mutant extends ClassLoader {
  private static final String COPIED = "dev.weft.hca.";
  private static final ClassDesc BUGS = ClassDesc.of("dev.weft.hca.PlantedBugs");

  private final String target;
  private final String method;
  private final String callee;
  private final String bug;
  private int planted;

  /**
   * A copy of the HCA with a bug.
   *
   * @param target simple name of the class to change
   * @param method the method in which calls of {@code callee} become calls of {@code bug}
   */
  Mutant(String target, String method, String callee, String bug) {
    super(Mutant.class.getClassLoader());
    this.target = COPIED + target;
    this.method = method;
    this.callee = callee;
    this.bug = bug;
  }

  /** Runs seeds on the changed transport: takes a seed, answers the violations. */
  @SuppressWarnings("unchecked") // MutantRun is a LongFunction of a list of strings
  LongFunction<List<String>> simulation() {
    try {
      loadClass(target);
      if (planted == 0) {
        throw new IllegalStateException(target + "." + method + " does not call " + callee + " any more: plant " + bug + " elsewhere");
      }
      var constructor = loadClass(MutantRun.class.getName()).getDeclaredConstructor();
      constructor.setAccessible(true);
      return (LongFunction<List<String>>) constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known != null) {
        return known;
      }
      if (!name.startsWith(COPIED)) {
        return super.loadClass(name, resolve);
      }
      byte[] bytes = read(name);
      byte[] changed = name.equals(target) ? plant(bytes) : bytes;
      return defineClass(name, changed, 0, changed.length);
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
  private boolean isMethod(String name) {
    return method.endsWith("*") ? name.startsWith(method.substring(0, method.length() - 1)) : name.equals(method);
  }

  private byte[] plant(byte[] bytes) {
    CodeTransform replace = (code, element) -> {
      if (element instanceof InvokeInstruction call && call.name().equalsString(callee)) {
        MethodTypeDesc type = call.typeSymbol();
        boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
        code.invokestatic(BUGS, bug, isStatic ? type : type.insertParameterTypes(0, call.owner().asSymbol()));
        planted++;
      } else {
        code.with(element);
      }
    };
    return ClassFile.of().transformClass(ClassFile.of().parse(bytes),
        ClassTransform.transformingMethodBodies(model -> isMethod(model.methodName().stringValue()), replace));
  }
}
